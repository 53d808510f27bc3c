"""What a match of a regular expression has within one word of a text.

`\\w*(?i:warps_?per_?sm)\\s*=` needs a word that ends with `(?i:warps_?per_?sm)`, which few files
have, though most have each of its texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from hipport.lazy_regex import regex
from hipport.source.text.expression_parts import (
    Anything,
    Characters,
    Group,
    Part,
    Repeat,
    parts_of,
)

_LATIN_1 = "".join(map(chr, range(256)))
_OF_WORDS = frozenset(each for each in _LATIN_1 if each.isalnum() or each == "_")
_PIECE = regex(r"\w+|\W+", re.ASCII)
_WORD = regex(r"\w+", re.ASCII)


class _Expression(NamedTuple):
    fixed: int
    """How many characters of a match are fixed, at least."""
    text: str


@cache
def word_part(pattern: str) -> str:
    """An expression that matches within a word of each match of a pattern; "" if none is known.

    It leaves out how often something is repeated at most. A mere text is none.
    """
    whole = parts_of(pattern, re.MULTILINE)
    best = max(_of_part(whole, ()), default=None) if whole else None
    return best.text if best and not _WORD.fullmatch(best.text) else ""


def _of_sequence(parts: Iterable[Part], behind: Sequence[Part]) -> Iterator[_Expression]:
    """Expressions each of which matches within a word of what the parts match."""
    pieces = list(_pieces(parts))
    start = 0
    for end, part in enumerate(pieces, 1):
        rest = (*pieces[end:], *behind)
        if _written(part) is None:
            yield from _of_part(part, rest)
            start = end
        elif end == len(pieces) or _written(pieces[end]) is None:
            yield from _of_run(pieces[start:end], rest)


def _of_part(part: Part, behind: Sequence[Part]) -> list[_Expression]:
    if isinstance(part, Repeat) and part.least:
        return list(_of_sequence((part.part,), (Anything(),)))
    if not isinstance(part, Group):
        return []
    best = [max(_of_sequence(way, behind), default=_Expression(0, "")) for way in part.ways]
    fixed, texts = zip(*best, strict=True)
    return [_Expression(min(fixed), _either(part, texts))] if all(fixed) else []


def _of_run(run: Sequence[Part], behind: Sequence[Part]) -> list[_Expression]:
    """What the parts of one word need; what may be missing at its ends is left out."""
    first, end = 0, len(run)
    is_end = _beginnings(behind).isdisjoint(("", *_OF_WORDS))
    while first < end and _is_optional(run[first]):
        first += 1
    while first < end and not is_end and _is_optional(run[end - 1]):
        end -= 1
    if end - first == 1 and isinstance(run[first], Group):
        return _of_part(run[first], behind)
    fixed = sum(map(_fixed, run[first:end]))
    text = "".join(_written(each) or "" for each in run[first:end])
    return [_Expression(fixed, text + r"\b" * is_end)] if fixed else []


def _pieces(parts: Iterable[Part]) -> Iterator[Part]:
    """The parts of a sequence, texts cut where words begin and end."""
    for each in parts:
        if isinstance(each, str):
            yield from _PIECE.findall(each)
        elif isinstance(each, Group) and len(each.ways) == 1 and not each.is_folded:
            yield from _pieces(each.ways[0])
        else:
            yield each


@lru_cache(maxsize=256)
def _written(part: Part) -> str | None:
    """A part as an expression again; None if it may match more than a part of a word."""
    if isinstance(part, str):
        return part if _WORD.fullmatch(part) else None
    if isinstance(part, Characters):
        return part.written if _characters(part.written) <= _OF_WORDS else None
    if isinstance(part, Repeat):
        inner = _written(part.part)
        return None if inner is None else f"(?:{inner}){{{part.least},}}"
    if isinstance(part, Group):
        ways = [[_written(each) for each in way] for way in part.ways]
        is_whole = all(each is not None for way in ways for each in way)
        return _either(part, ["".join(filter(None, way)) for way in ways]) if is_whole else None
    return None


def _either(group: Group, ways: Sequence[str]) -> str:
    if len(ways) == 1 and not group.is_folded:
        return ways[0]
    return f"(?{'i' * group.is_folded}:{'|'.join(ways)})"


def _is_optional(part: Part) -> bool:
    return isinstance(part, Repeat) and not part.least


def _fixed(part: Part) -> int:
    if isinstance(part, str):
        return len(part)
    if isinstance(part, Repeat):
        return _fixed(part.part) if part.least else 0
    return min(sum(map(_fixed, way)) for way in part.ways) if isinstance(part, Group) else 0


def _beginnings(parts: Iterable[Part]) -> frozenset[str]:
    """The characters with which a match may begin; "" is among them if it may be empty."""
    found = frozenset(("",))
    for part in parts:
        found = (found - {""}) | _beginnings_of(part)
        if "" not in found:
            break
    return found


def _beginnings_of(part: Part) -> frozenset[str]:
    if isinstance(part, str):
        return frozenset(part[0])
    if isinstance(part, Characters):
        return _characters(part.written)
    if isinstance(part, Repeat):
        return _beginnings((part.part,)).union(() if part.least else ("",))
    if isinstance(part, Group):
        return frozenset().union(*map(_beginnings, part.ways))
    return frozenset(("", *_LATIN_1))


@lru_cache(maxsize=256)
def _characters(written: str) -> frozenset[str]:
    """The characters of Latin-1 that a class such as `[^a-z]` matches."""
    return frozenset(re.findall(written, _LATIN_1))
