"""Uses of functions that a template has only where the compiler finds the function: void_t."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hipport.model import Span
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.source_text import Code

_SEEKING = "void_t"
_OF_PARAMETER = "declval"


def is_sought(code: Code, name: str, offset: int) -> bool:
    """Whether a function's name is in a specialization that there is only where it is declared.

    Elsewhere the compiler takes another: https://en.cppreference.com/w/cpp/types/void_t
    """
    if _SEEKING not in code.words:
        return False
    return any(start <= offset < end for start, end in _specializations(code.code, name))


@lru_cache(maxsize=64)
def _specializations(text: str, name: str) -> tuple[Span, ...]:
    return tuple(_found(text, name))


def _found(text: str, name: str) -> Iterator[Span]:
    """From where `void_t<decltype(name(declval<T>()))>` asks to the end of the body behind it."""
    asking = rf"\b{_SEEKING}\s*<\s*decltype\s*\(\s*(?:::\s*)?{re.escape(name)}\s*(\()"
    for match in re.finditer(asking, text):
        closed = closing_bracket(text, match.start(1))
        body = text.find("{", closed) if closed else -1
        if closed is None or body < 0 or ";" in text[closed:body]:
            continue
        end = closing_bracket(text, body)
        if end is not None and _OF_PARAMETER in text[match.end() : closed]:
            yield Span(match.start(), end)
