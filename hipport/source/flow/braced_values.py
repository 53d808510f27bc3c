"""Braces that hold the values of a variable, and these values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.flow.operands import expression_at
from hipport.source.text.brackets import closing_brace, skip, skip_back

_BEFORE = regex(r"[=\]\w]")


@lru_cache(maxsize=2)
def value_braces(text: str) -> list[tuple[int, int]]:
    """Where what is before each brace that may begin a value ends, and the brace.

    Most braces open a body, behind a `)`.
    """
    found = []
    brace = text.find("{")
    while brace >= 0:
        end = skip_back(text, brace)
        if _BEFORE.match(text, end - 1):
            found.append((end, brace))
        brace = text.find("{", brace + 1)
    return found


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
