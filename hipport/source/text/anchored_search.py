"""Searches for expressions of which every match has one of a few texts, sought first.

`\\w+\\s*<\\s*warpSize` can match only around `warpSize`: no further before it than the characters
that are before it in the expression reach. `re` would try each place of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from hipport.source.text.expression_parts import Characters, Group, Part, Repeat, parts_of

_SHORTEST = 3
_RARE = frozenset("\\%?#@$`")
"""Characters of which one makes a shorter text rare enough in code."""
_MOST = 64
_ASCII = "".join(map(chr, range(128)))
_BEYOND_ASCII = frozenset(map(chr, range(128, 256)))
_ALL = _BEYOND_ASCII.union(_ASCII)

_Characters = frozenset[str]


class Anchor(NamedTuple):
    """Texts of which a match has one, and what it may have before that, by characters."""

    texts: tuple[str, ...]
    before: _Characters = frozenset()
    is_folded: bool = False
    """Whether the texts are in lower case and a match may have them in any."""


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
            match = expression.match(text, at)
            if match:
                yield match
            at = match.end() if match else at + 1
        tried = at


def anchor_of(pattern: str, flags: re.RegexFlag) -> Anchor | None:
    """The rarest anchor of an expression, if it has any."""
    whole = parts_of(pattern, flags)
    anchors = _of_part(whole)[0] if whole else []
    return min(anchors, key=_commonness, default=None)


def _commonness(anchor: Anchor) -> tuple[int, int, int]:
    return -min(map(len, anchor.texts)), len(anchor.texts), len(anchor.before)


def _of_sequence(parts: Iterable[Part]) -> tuple[list[Anchor], _Characters]:
    """The anchors of a sequence, and the characters that it may consist of."""
    anchors: list[Anchor] = []
    passed: _Characters = frozenset()
    for part in parts:
        inner, characters = _of_part(part)
        anchors += [each._replace(before=each.before | passed) for each in inner]
        passed |= characters
    return anchors, passed


def _of_part(part: Part) -> tuple[list[Anchor], _Characters]:
    if isinstance(part, str):
        is_rare = len(part) >= _SHORTEST or not _RARE.isdisjoint(part)
        return [Anchor((part,))] if is_rare else [], frozenset(part)
    if isinstance(part, Characters):
        return [], _of_class(part.written)
    if isinstance(part, Repeat):
        anchors, characters = _of_part(part.part)
        return anchors if part.least else [], characters
    if isinstance(part, Group):
        anchors, characters = _of_ways([_of_sequence(each) for each in part.ways])
        if part.is_folded:
            return [_folded(each) for each in anchors if _is_ascii(each)], _in_any_case(characters)
        return anchors, characters
    return [], _ALL


def _of_ways(
    ways: list[tuple[list[Anchor], _Characters]],
) -> tuple[list[Anchor], _Characters]:
    if len(ways) == 1:
        return ways[0]
    characters = _union(each for _, each in ways)
    best = [min(anchors, key=_commonness) for anchors, _ in ways if anchors]
    is_folded = any(each.is_folded for each in best)
    best = [_folded(each) for each in best if _is_ascii(each)] if is_folded else best
    texts = tuple(dict.fromkeys(text for each in best for text in each.texts))
    if len(best) < len(ways) or len(texts) > _MOST:
        return [], characters
    return [Anchor(texts, _union(each.before for each in best), is_folded)], characters


@lru_cache(maxsize=256)
def _of_class(written: str) -> _Characters:
    """The characters that a class such as `[^a-z\\s]` may match, whatever the flags."""
    return _BEYOND_ASCII.union(re.findall(written, _ASCII))


def _is_ascii(anchor: Anchor) -> bool:
    return all(map(str.isascii, anchor.texts))


def _folded(anchor: Anchor) -> Anchor:
    """The same in any case. No letter of Latin-1 is another case of one of ASCII."""
    texts = tuple(dict.fromkeys(map(str.lower, anchor.texts)))
    return Anchor(texts, _in_any_case(anchor.before), True)


def _in_any_case(characters: _Characters) -> _Characters:
    other = {each for one in characters for each in (one.lower(), one.upper()) if len(each) == 1}
    return characters | other


def _union(sets: Iterable[_Characters]) -> _Characters:
    return frozenset().union(*sets)
