"""The functions of a C++ file, as far as brackets tell: asked where a parser need not read all."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from hipport.model import Span
from hipport.source.text.brackets import paired_braces, skip_back, word_before

_BEHIND_PARAMETERS = frozenset(("const", "noexcept", "override", "final"))


def function_around(text: str, offset: int) -> Span | None:
    """The outermost function whose body is around an offset, from its type to its `}`."""
    found = _functions(text)
    index = bisect_right(found, Span(offset, len(text)))
    return found[index - 1] if index and offset < found[index - 1].end else None


@lru_cache(maxsize=4)
def _functions(text: str) -> list[Span]:
    found: list[Span] = []
    done = 0
    for opened, closed in sorted(paired_braces(text).items()):
        if opened >= done and _is_body(text, opened):
            start = max(text.rfind(each, done, opened) for each in ";{}") + 1
            done = closed + 1
            found.append(Span(max(start, found[-1].end if found else 0), done))
    return found


def _is_body(text: str, opened: int) -> bool:
    before = skip_back(text, opened)
    return text.endswith(")", 0, before) or (
        text[slice(*word_before(text, before))] in _BEHIND_PARAMETERS
    )
