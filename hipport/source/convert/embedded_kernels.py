"""Converts the text of a kernel that is in literals, or reports that it stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hipport.model import Edit, Span
from hipport.source.source_file import Unit
from hipport.source.text.embedded_code import EmbeddedCode, Piece
from hipport.source.text.source_text import Code

_LEFT = "HP-RTC-007"

Convert = Callable[[Code], Unit]
"""Converts a text as a file of its own."""


def is_kernel(unit: Unit, text: str) -> bool:
    """Whether a text is code for a device: a message may name the keywords too."""
    keywords = unit.rules.device_code.function_keywords
    return any(word in text for word in keywords) and (";" in text or "{" in text)


def convert_text(unit: Unit, pieces: Sequence[Piece], convert: Convert) -> bool:
    """Convert the text of some pieces; False, and nothing done, if its literals cannot hold it."""
    embedded = EmbeddedCode(unit.code, pieces)
    inner = convert(embedded)
    edits: list[Edit] = []
    for edit in inner.edits:
        outside = embedded.outside(edit)
        if outside is None:
            return False
        edits.append(outside)
    unit.edits.extend(edits)
    unit.findings += inner.findings
    unit.counts += inner.counts
    return True


def report_text(unit: Unit, place: Span, pieces: Sequence[Piece], convert: Convert) -> None:
    """Report a kernel's text that stays as it is, if a conversion would change it."""
    embedded = EmbeddedCode(unit.code, pieces)
    inner = convert(embedded)
    if inner.edits or inner.findings:
        first = next(iter(inner.edits), None)
        shown = embedded.slice(first.span).strip() if first else inner.findings[0].symbol
        unit.report(_LEFT, place, shown or "kernel")
