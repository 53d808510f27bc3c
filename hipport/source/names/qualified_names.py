"""Names with namespaces before them."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.brackets import NO_QUALIFIERS, skip, skip_back, word_before

_NEXT_PART = regex(r"\s*::\s*[A-Za-z_]\w*")


def qualified(text: str, span: Span) -> Span:
    """The whole of a name such as `cuda::std::atomic`, given one component of it."""
    start, end = span
    while (before := skip_back(text, start)) and text[before - 2 : before] == "::":
        word = word_before(text, before - 2)
        if word.start == word.end or text[word.start : word.end] in NO_QUALIFIERS:
            break
        start = word.start
    while match := _NEXT_PART.match(text, end):
        end = match.end()
    return Span(start, end)


def is_namespace(text: str, span: Span) -> bool:
    """Whether the name qualifies another, or is a using directive's or namespace alias's."""
    after = skip(text, span.end)
    if text.startswith("::", after):
        return True
    start = max(text.rfind(mark, 0, span.start) for mark in ";{}\n")
    words = text[start + 1 : span.start].split()
    return (
        text.startswith(";", after)
        and "namespace" in words
        and (words[0] == "using" or "=" in words)
    )


def aliases_of(text: str, namespaces: str) -> set[str]:
    """The names that a file gives to a namespace: `namespace cg = cooperative_groups;`."""
    return set(re.findall(rf"\bnamespace\s+(\w+)\s*=\s*(?:::)?(?:{namespaces})\s*;", text))


def is_used(text: str, namespaces: str) -> bool:
    """Whether a file uses a namespace, or names in it, without writing the namespace each time."""
    return re.search(rf"\busing\s+(?:namespace\s+)?(?:{namespaces})\b", text) is not None
