"""Charts of the HTML report as inline SVG; colours come from its style sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from hipport.errors import printable

_WIDTH = 320
_ROW = 38
_BAR = 10
_LONGEST_LABEL = 30


class Bar(NamedTuple):
    """One bar: what share of its ground is filled, from 0 to 1."""

    label: str
    number: str
    share: float
    kind: str


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Horizontal bars, each below its label."""
    parts = [_open(title, _WIDTH, _ROW * max(len(rows), 1))]
    for index, row in enumerate(rows):
        top = index * _ROW
        filled = round(_WIDTH * min(max(row.share, 0.0), 1.0), 1)
        parts += [
            f'<text x="0" y="{top + 14}">{_short(row.label)}</text>',
            f'<text class="number" x="{_WIDTH}" y="{top + 14}">{escape(row.number)}</text>',
            f'<rect class="ground" y="{top + 20}" width="{_WIDTH}" height="{_BAR}" rx="3"/>',
            f'<rect class="{row.kind}" y="{top + 20}" width="{filled}" height="{_BAR}" rx="3"/>',
        ]
    return "".join([*parts, "</svg>"])


def dial(percent: int) -> str:
    """A ring that is closed as far as the percentage says."""
    radius = 44
    length = 2 * math.pi * radius
    part = length * percent / 100
    ring = f'cx="55" cy="55" r="{radius}"'
    return (
        f"{_open(f'Portability score: {percent} percent', 110, 110, 'dial')}"
        f'<circle class="ring" {ring}/>'
        f'<circle class="part" {ring} stroke-dasharray="{part:.1f} {length:.1f}"'
        ' transform="rotate(-90 55 55)"/>'
        f'<text x="55" y="63">{percent} %</text></svg>'
    )


def _open(title: str, width: int, height: int, kind: str = "bars") -> str:
    text = escape(title)
    size = f'viewBox="0 0 {width} {height}"'
    return f'<svg class="{kind}" {size} role="img" aria-label="{text}"><title>{text}</title>'


def _short(label: str) -> str:
    label = printable(label)
    cut = label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"
    return escape(cut)
