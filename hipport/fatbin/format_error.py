"""What is wrong with an input, and where."""

from __future__ import annotations

from hipport.errors import HipportError


def printable(text: str) -> str:
    """The text with control characters written as escapes: names come from the input."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


class FormatError(HipportError):
    """Bytes that break their format's rules; `label` and `offset` say where."""

    def __init__(self, message: str, label: str, offset: int, *, remedy: str = "") -> None:
        text = printable(f"{label}: offset {offset:#x}: {message}")
        super().__init__(text, remedy=remedy)
        self.problem = message
        self.label = label
        self.offset = offset
