"""Searches for expressions of which every match has one of a few texts, sought first.

`\\w+\\s*<\\s*warpSize` can match only around `warpSize`: no further before it than the characters
that are before it in the expression reach. `re` would try each place of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from hipport.source.text.parsed_expressions import known_of

_SHORTEST = 3
_MOST = 64
_NO_WIDTH = frozenset(("AT", "ASSERT", "ASSERT_NOT"))
_ALL = frozenset(map(chr, range(256)))
_CATEGORIES = {
    f"CATEGORY_{name}": frozenset(re.findall(shape, "".join(_ALL)))
    for name, shape in {
        "DIGIT": r"\d",
        "NOT_DIGIT": r"\D",
        "SPACE": r"\s",
        "NOT_SPACE": r"\S",
        "WORD": r"\w",
        "NOT_WORD": r"\W",
    }.items()
}

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
    unknown: tuple[list[Anchor], _Characters] = ([], _ALL)
    anchors, _ = known_of(pattern, flags, _of_sequence, unknown)
    return min(anchors, key=_commonness, default=None)


def _commonness(anchor: Anchor) -> tuple[int, int, int]:
    return -min(map(len, anchor.texts)), len(anchor.texts), len(anchor.before)


def _of_sequence(items: Iterable[tuple[Any, Any]]) -> tuple[list[Anchor], _Characters]:
    """The anchors of a sequence, and the characters that it may consist of."""
    anchors: list[Anchor] = []
    passed: _Characters = frozenset()
    run = Anchor(("",))
    for kind, argument in items:
        if kind.name in _NO_WIDTH:
            continue
        if kind.name == "LITERAL":
            run = Anchor((run.texts[0] + chr(argument),), run.before if run.texts[0] else passed)
            passed |= {chr(argument)}
            continue
        anchors.append(run)
        run = Anchor(("",))
        inner, characters = _of_part(kind.name, argument)
        anchors += [each._replace(before=each.before | passed) for each in inner]
        passed |= characters
    anchors.append(run)
    return [each for each in anchors if min(map(len, each.texts)) >= _SHORTEST], passed


def _of_part(kind: str, argument: Any) -> tuple[list[Anchor], _Characters]:
    if kind == "IN":
        return [], _of_class(argument)
    if kind == "SUBPATTERN":
        _, added, _, inner = argument
        anchors, characters = _of_sequence(inner)
        if added & re.IGNORECASE:
            anchors = [_folded(each) for each in anchors]
            characters = _in_any_case(characters)
        return anchors, characters
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, _, inner = argument
        anchors, characters = _of_sequence(inner)
        return anchors if least else [], characters
    if kind == "ATOMIC_GROUP":
        return _of_sequence(argument)
    if kind == "BRANCH":
        ways = [_of_sequence(each) for each in argument[1]]
        characters = _union(each for _, each in ways)
        best = [min(anchors, key=_commonness) for anchors, _ in ways if anchors]
        is_folded = any(each.is_folded for each in best)
        best = [_folded(each) for each in best] if is_folded else best
        texts = tuple(dict.fromkeys(text for each in best for text in each.texts))
        if len(best) < len(ways) or len(texts) > _MOST:
            return [], characters
        return [Anchor(texts, _union(each.before for each in best), is_folded)], characters
    return [], _ALL


def _of_class(items: Iterable[tuple[Any, Any]]) -> _Characters:
    """The characters of a class such as `[^a-z\\s]`."""
    found: _Characters = frozenset()
    is_negated = False
    for kind, argument in items:
        if kind.name == "NEGATE":
            is_negated = True
        elif kind.name == "LITERAL":
            found |= {chr(argument)}
        elif kind.name == "RANGE":
            found |= frozenset(map(chr, range(argument[0], min(argument[1], 255) + 1)))
        else:
            found |= _CATEGORIES[argument.name]
    return _ALL - found if is_negated else found


def _folded(anchor: Anchor) -> Anchor:
    """The same in any case. No letter of Latin-1 is another case of one of ASCII."""
    if not all(map(str.isascii, anchor.texts)):
        return Anchor(("",))
    texts = tuple(dict.fromkeys(map(str.lower, anchor.texts)))
    return Anchor(texts, _in_any_case(anchor.before), True)


def _in_any_case(characters: _Characters) -> _Characters:
    other = {each for one in characters for each in (one.lower(), one.upper()) if len(each) == 1}
    return characters | other


def _union(sets: Iterable[_Characters]) -> _Characters:
    return frozenset().union(*sets)
