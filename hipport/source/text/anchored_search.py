"""Searches for expressions of which every match has one of a few texts, sought first.

`\\w+\\s*<\\s*warpSize` can match only around `warpSize`: no further before it than the characters
that are before it in the expression reach. `re` would try each place of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec

from hipport.source.text.expression_parts import Characters, Group, Part, Repeat, parts_of

_SHORTEST = 2
_RARE = frozenset("\\%?#@$`")
"""Characters of which one makes a shorter text rare enough in code."""
_MOST = 64
_ASCII = "".join(map(chr, range(128)))
_BEYOND_ASCII = frozenset(map(chr, range(128, 256)))
_ALL = _BEYOND_ASCII.union(_ASCII)

_Characters = frozenset[str]


class Anchor(msgspec.Struct, frozen=True):
    """Texts of which a match has one, and what it may have before that, by characters."""

    texts: tuple[str, ...]
    before: _Characters = frozenset()
    is_folded: bool = False
    """Whether the texts are in lower case and a match may have them in any."""
    at_lines: bool = False
    """Whether a match begins where a line does."""


def anchored_matches(
    expression: re.Pattern[str], anchor: Anchor, places: Iterable[int], text: str
) -> Iterator[re.Match[str]]:
    """What `finditer` gives for a text of Latin-1; `places` are those of the anchor's texts."""
    before = "".join(anchor.before)
    tried, patience = 0, len(text) // 4
    for place in places:
        if place < tried:
            continue
        at = tried + len(text[tried:place].rstrip(before))
        patience -= place - at
        if patience < 0:
            # Anything may be before it here: trying each place is what `re` does faster.
            yield from expression.finditer(text, tried)
            return
        while at <= place:
            if anchor.at_lines and at and text[at - 1] != "\n":
                at = text.find("\n", at, place) + 1 or place + 1
                continue
            match = expression.match(text, at)
            if match:
                yield match
            at = match.end() if match else at + 1
        tried = at


class _Found(NamedTuple):
    """The same with the parts of the expression that may be before it."""

    texts: tuple[str, ...]
    before: tuple[Part, ...] = ()
    is_folded: bool = False


def anchor_of(pattern: str, flags: re.RegexFlag) -> Anchor | None:
    """The rarest anchor of an expression, if it has any."""
    whole = parts_of(pattern, flags)
    best = min(_of_part(whole) if whole else (), key=_commonness, default=None)
    if best is None:
        return None
    before = _union(map(_characters, best.before))
    before = _in_any_case(before) if best.is_folded else before
    is_one_way = whole is not None and len(whole.ways) == 1
    at_lines = is_one_way and pattern.startswith("^") and bool(flags & re.MULTILINE)
    return Anchor(best.texts, before, best.is_folded, at_lines)


def _commonness(anchor: _Found) -> tuple[int, int, int]:
    return -min(map(len, anchor.texts)), len(anchor.texts), len(anchor.before)


def _of_sequence(parts: tuple[Part, ...]) -> list[_Found]:
    """The anchors of a sequence."""
    return [
        each._replace(before=(*parts[:number], *each.before))
        for number, part in enumerate(parts)
        for each in _of_part(part)
    ]


def _of_part(part: Part) -> list[_Found]:
    if isinstance(part, str):
        is_rare = len(part) >= _SHORTEST or not _RARE.isdisjoint(part)
        return [_Found((part,))] if is_rare else []
    if isinstance(part, Repeat):
        return _of_part(part.part) if part.least else []
    if isinstance(part, Group):
        anchors = _of_ways([_of_sequence(each) for each in part.ways])
        return [_folded(each) for each in anchors if _is_ascii(each)] if part.is_folded else anchors
    return []


def _of_ways(ways: list[list[_Found]]) -> list[_Found]:
    """The anchors of several ways, of which a match takes one."""
    if len(ways) == 1:
        return ways[0]
    best = [min(anchors, key=_commonness) for anchors in ways if anchors]
    is_folded = any(each.is_folded for each in best)
    best = [_folded(each) for each in best if _is_ascii(each)] if is_folded else best
    texts = tuple(dict.fromkeys(text for each in best for text in each.texts))
    if len(best) < len(ways) or len(texts) > _MOST:
        return []
    return [_Found(texts, tuple(part for each in best for part in each.before), is_folded)]


def _characters(part: Part) -> _Characters:
    """The characters of which a part may consist."""
    if isinstance(part, str):
        return frozenset(part)
    if isinstance(part, Characters):
        return _of_class(part.written)
    if isinstance(part, Repeat):
        return _characters(part.part)
    if isinstance(part, Group):
        inside = _union(_characters(each) for way in part.ways for each in way)
        return _in_any_case(inside) if part.is_folded else inside
    return _ALL


@lru_cache(maxsize=256)
def _of_class(written: str) -> _Characters:
    """The characters that a class such as `[^a-z\\s]` may match, whatever the flags."""
    return _BEYOND_ASCII.union(re.findall(written, _ASCII))


def _is_ascii(anchor: _Found) -> bool:
    return all(map(str.isascii, anchor.texts))


def _folded(anchor: _Found) -> _Found:
    """The same in any case. No letter of Latin-1 is another case of one of ASCII."""
    texts = tuple(dict.fromkeys(map(str.lower, anchor.texts)))
    return anchor._replace(texts=texts, is_folded=True)


def _in_any_case(characters: _Characters) -> _Characters:
    other = {each for one in characters for each in (one.lower(), one.upper()) if len(each) == 1}
    return characters | other


def _union(sets: Iterable[_Characters]) -> _Characters:
    return frozenset().union(*sets)
