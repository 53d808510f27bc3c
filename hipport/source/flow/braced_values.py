"""Braces that hold the values of a variable, and these values."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.flow.operands import expression_at
from hipport.source.text.brackets import closing_brace, skip, skip_back

_OPENED = regex(r"\{")
_BEFORE = regex(r"[=\]\w]")


def value_braces(text: str) -> Iterator[tuple[int, int]]:
    """Where what is before each brace that may begin a value ends, and the brace.

    Most braces open a body, behind a `)`.
    """
    for brace in _OPENED.finditer(text):
        end = skip_back(text, brace.start())
        if _BEFORE.match(text, end - 1):
            yield end, brace.start()


def values_in(text: str, braces: Span) -> Iterator[Span]:
    """What stands between the commas of braces: expressions, and braces of their own."""
    at = braces.start + 1
    while at < braces.end:
        start = skip(text, at)
        is_list = text.startswith("{", start)
        closed = closing_brace(text, start) if is_list else None
        end = closed + 1 if closed else expression_at(text, start, braces.end).end
        if end <= start:
            return
        yield Span(start, start + len(text[start:end].rstrip()))
        at = skip(text, end) + 1
