"""Of which characters the matches of a regular expression consist, in a text of Latin-1."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from hipport.source.text.expression_parts import (
    Anything,
    Characters,
    Group,
    Part,
    Repeat,
    WordEdge,
)

_ASCII = "".join(map(chr, range(128)))
_BEYOND_ASCII = frozenset(map(chr, range(128, 256)))
_ALL = _BEYOND_ASCII.union(_ASCII)


def characters_of(part: Part) -> frozenset[str]:
    """The characters of which a part may consist."""
    if isinstance(part, str):
        return frozenset(part)
    if isinstance(part, Characters):
        return _of_class(part.written)
    if isinstance(part, Repeat):
        return characters_of(part.part)
    if isinstance(part, Group):
        inside = union(characters_of(each) for way in part.ways for each in way)
        return in_any_case(inside) if part.is_folded else inside
    return frozenset() if isinstance(part, WordEdge) else _ALL


@lru_cache(maxsize=256)
def _of_class(written: str) -> frozenset[str]:
    """The characters that a class such as `[^a-z\\s]` may match, whatever the flags."""
    return _BEYOND_ASCII.union(re.findall(written, _ASCII))


def first_characters(part: Part) -> tuple[frozenset[str], bool]:
    """With which a part may begin, and whether it may be empty, so that what follows begins."""
    if isinstance(part, Group):
        ways = [_first_of_sequence(each) for each in part.ways]
        found = union(each for each, _ in ways)
        return in_any_case(found) if part.is_folded else found, any(empty for _, empty in ways)
    if isinstance(part, Repeat):
        found, may_be_empty = first_characters(part.part)
        return found, may_be_empty or not part.least
    characters = frozenset(part[0]) if isinstance(part, str) else characters_of(part)
    return characters, isinstance(part, Anything | WordEdge)


def _first_of_sequence(parts: tuple[Part, ...]) -> tuple[frozenset[str], bool]:
    found: frozenset[str] = frozenset()
    for part in parts:
        first, may_be_empty = first_characters(part)
        found |= first
        if not may_be_empty:
            return found, False
    return found, True


def in_any_case(characters: frozenset[str]) -> frozenset[str]:
    """The characters with those that are the same in another case."""
    other = {each for one in characters for each in (one.lower(), one.upper()) if len(each) == 1}
    return characters | other


def union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """The characters of all sets."""
    return frozenset().union(*sets)
