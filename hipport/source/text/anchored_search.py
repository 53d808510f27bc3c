"""Searches for expressions of which every match has one of a few texts, sought first.

`\\w+\\s*<\\s*warpSize` can match only around `warpSize`: no further before it than the characters
that are before it in the expression reach. `re` would try each place of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from hipport.named_tuples import NamedTuple
from hipport.source.text.expression_characters import (
    characters_of,
    first_characters,
    in_any_case,
    union,
)
from hipport.source.text.expression_parts import Group, Part, Repeat, WordEdge, parts_of
from hipport.source.text.known_expressions import KnownAnchor

_SHORTEST = 2
_RARE = frozenset("\\%?#@$`")
"""Characters of which one makes a shorter text rare enough in code."""
_MOST = 64
_MOST_STARTS = 200
"""Of characters with which a match may begin: where more do, it is not worth a look."""


class Anchor:
    """Texts of which a match has one, and what it may have before that, by characters.

    Most texts have none of an anchor's, and do not ask for the rest.
    """

    def __init__(self, found: _Found, whole: Group, at_line: bool) -> None:
        self.texts, self.is_folded = found.texts, found.is_folded
        """`is_folded`: whether the texts are in lower case and a match may have them in any."""
        self._before, self._whole, self._at_line = found.before, whole, at_line

    @classmethod
    def known(cls, of_wheel: KnownAnchor) -> Anchor:
        """One whose characters are known already."""
        anchor = cls.__new__(cls)
        anchor.texts, anchor.is_folded = of_wheel.texts, of_wheel.is_folded
        anchor.before, anchor.starts = of_wheel.before, of_wheel.starts
        return anchor

    @cached_property
    def before(self) -> str:
        characters = union(map(characters_of, self._before))
        return "".join(in_any_case(characters) if self.is_folded else characters)

    @cached_property
    def starts(self) -> str:
        """What is where a match begins: an expression of one character."""
        return ("^" if self._at_line else "") + _start(self._whole)


def anchored_matches(
    expression: re.Pattern[str], anchor: Anchor, places: Iterable[int], text: str
) -> Iterator[re.Match[str]]:
    """What `finditer` gives for a text of Latin-1; `places` are those of the anchor's texts."""
    before, starts = anchor.before, _compiled(anchor.starts)
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
        while at <= place and (start := starts.search(text, at, place + 1)):
            match = expression.match(text, start.start())
            if match:
                yield match
            at = match.end() if match else start.end()
        tried = max(at, place + 1)


@cache
def _compiled(starts: str) -> re.Pattern[str]:
    """`re` itself forgets what was compiled before the last 512."""
    return re.compile(starts, re.MULTILINE)


class _Found(NamedTuple):
    """The same with the parts of the expression that may be before it."""

    texts: tuple[str, ...]
    before: tuple[Part, ...] = ()
    is_folded: bool = False


def anchor_of(pattern: str, flags: re.RegexFlag) -> Anchor | None:
    """The rarest anchor of an expression, if it has any."""
    whole = parts_of(pattern, flags)
    best = min(_of_part(whole) if whole else (), key=_commonness, default=None)
    if whole is None or best is None:
        return None
    at_line = len(whole.ways) == 1 and pattern.startswith("^") and bool(flags & re.MULTILINE)
    return Anchor(best, whole, at_line)


def _start(whole: Group) -> str:
    """An expression of the character with which a match begins, and of the edge before it."""
    first, may_be_empty = first_characters(whole)
    is_any = may_be_empty or len(first) > _MOST_STARTS
    character = r"[\s\S]" if is_any else f"[{re.escape(''.join(sorted(first)))}]"
    return (r"\b" if _begins_at_word(whole) else "") + character


def _begins_at_word(part: Part) -> bool:
    """Whether a `\\b` is at the beginning of every way."""
    if isinstance(part, Group):
        return all(each and _begins_at_word(each[0]) for each in part.ways)
    return isinstance(part, WordEdge)


def _commonness(anchor: _Found) -> tuple[int, int, int]:
    return -min(map(_rarity, anchor.texts)), len(anchor.texts), len(anchor.before)


def _rarity(text: str) -> int:
    """Long texts are rare; `::` and `<<` are everywhere."""
    return len(text) if any(map(str.isalnum, text)) else 1


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


def _is_ascii(anchor: _Found) -> bool:
    return all(map(str.isascii, anchor.texts))


def _folded(anchor: _Found) -> _Found:
    """The same in any case. No letter of Latin-1 is another case of one of ASCII."""
    texts = tuple(dict.fromkeys(map(str.lower, anchor.texts)))
    return anchor._replace(texts=texts, is_folded=True)
