"""Searches for expressions of which every match begins with one of a few texts, sought first.

A lookbehind or `\\b` before a text keeps `re` from looking for the text itself, which takes
a hundredth of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from hipport.source.text.anchored_search import Anchor, anchor_of, anchored_matches
from hipport.source.text.parsed_expressions import known_of

_SHORTEST = 2
_MOST = 64
_NO_WIDTH = frozenset(("AT", "ASSERT", "ASSERT_NOT"))

_Starts = tuple[list[str], bool]
"""Texts of which a match begins with one, and whether it is one of them as a whole."""


def matches(pattern: str, text: str, flags: re.RegexFlag = re.MULTILINE) -> Iterator[re.Match[str]]:
    """What re.finditer gives."""
    expression, beginnings, anchor = search_of(pattern, flags)
    if not beginnings:
        if anchor and _is_latin_1(text):
            found = places(anchor.texts, text.lower() if anchor.is_folded else text)
            yield from anchored_matches(expression, anchor, found, text)
        else:
            yield from expression.finditer(text)
        return
    done = 0
    for at in places(beginnings, text):
        if at >= done and (match := expression.match(text, at)):
            yield match
            done = match.end()


def places(wanted: Iterable[str], text: str) -> list[int]:
    """Where any of the wanted texts is, in order."""
    found: set[int] = set()
    for each in wanted:
        at = text.find(each)
        while at >= 0:
            found.add(at)
            at = text.find(each, at + 1)
    return sorted(found)


class Search(NamedTuple):
    """A compiled expression, and the texts to look for."""

    expression: re.Pattern[str]
    beginnings: tuple[str, ...]
    """Texts of which every match begins with one; none if that is unknown."""
    anchor: Anchor | None
    """Of an expression without beginnings: texts further on."""


@lru_cache(maxsize=2048)
def search_of(pattern: str, flags: re.RegexFlag = re.MULTILINE) -> Search:
    """How to search for an expression; `re` itself remembers only the last 512."""
    beginnings = _beginnings(pattern, flags)
    anchor = None if beginnings else anchor_of(pattern, flags)
    return Search(re.compile(pattern, flags), beginnings, anchor)


def _is_latin_1(text: str) -> bool:
    return text.isascii() or max(text) <= "\xff"


def _beginnings(pattern: str, flags: re.RegexFlag) -> tuple[str, ...]:
    unknown: _Starts = ([], False)
    texts, _ = known_of(pattern, flags, _of_sequence, unknown)
    return tuple(dict.fromkeys(texts)) if min(map(len, texts), default=0) >= _SHORTEST else ()


def _of_sequence(items: Iterable[tuple[Any, Any]]) -> _Starts:
    texts = [""]
    for kind, argument in items:
        if kind.name in _NO_WIDTH:
            continue
        more, is_whole = _of_part(kind.name, argument)
        if not more or len(texts) * len(more) > _MOST:
            return texts, False
        texts = [first + second for first, second in product(texts, more)]
        if not is_whole:
            return texts, False
    return texts, True


def _of_part(kind: str, argument: Any) -> _Starts:
    if kind == "LITERAL":
        return [chr(argument)], True
    if kind == "IN":
        letters = [chr(each) for name, each in argument if name.name == "LITERAL"]
        return (letters, True) if len(letters) == len(argument) else ([], False)
    if kind == "SUBPATTERN":
        _, added, _, inner = argument
        return ([], False) if added & re.IGNORECASE else _of_sequence(inner)
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, _, inner = argument
        return (_of_sequence(inner)[0], False) if least else ([], False)
    if kind == "ATOMIC_GROUP":
        return _of_sequence(argument)
    if kind == "BRANCH":
        ways = [_of_sequence(each) for each in argument[1]]
        return [text for texts, _ in ways for text in texts], all(whole for _, whole in ways)
    return [], False
