"""Lines of text with a role for each part; the stylesheet gives the roles their colours."""

from __future__ import annotations

from textwrap import wrap

from hipport.errors import printable
from hipport.named_tuples import NamedTuple

KINDS = ("label", "dim", "good", "warn", "bad", "accent", "match", "lit")
"""Roles a part can have besides "", plain text."""
_NARROW = 52


class Span(NamedTuple):
    text: str
    kind: str = ""


Line = tuple[Span, ...]


def line(*parts: str | tuple[str, str]) -> Line:
    """A line of these parts: a text, or a text with its role. Control characters are escaped."""
    return tuple(
        Span(printable(part)) if isinstance(part, str) else Span(printable(part[0]), part[1])
        for part in parts
    )


def plain(spans: Line) -> str:
    """The line without roles."""
    return "".join(span.text for span in spans)


def fact(label: str, value: str, kind: str = "", width: int = 16) -> Line:
    """A label and its value in columns."""
    return line((f"{label:<{width}} ", "label"), (value, kind))


def heading(text: str) -> Line:
    return line((text, "accent"))


def wrapped(text: str, kind: str, indent: str = "") -> list[Line]:
    """A text to be read in full, in lines short enough for the smallest screen."""
    return [line(indent, (each, kind)) for each in wrap(text, _NARROW, break_on_hyphens=False)]


def count(number: int, noun: str) -> str:
    """`1 bundle`, `2 bundles`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def bar(part: float, width: int) -> str:
    """A bar that fills `part` (0 to 1) of `width` characters."""
    filled = round(max(0.0, min(1.0, part)) * width)
    return "█" * filled + "░" * (width - filled)
