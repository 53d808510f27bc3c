"""Where a file compares what it has read somewhere with a number, under another name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.text.brackets import word_before

_LONGEST = 4_000
_LONGEST_FUNCTION = 20_000
_MOST_VALUES = 100
_TARGET = regex(r"(?P<member>\.|->)?\b(?P<name>[A-Za-z_]\w*)\s*=(?!=)[^=;]*\Z")
_ADDRESS = regex(r"&\s*([A-Za-z_]\w*)\s*(?=,)")
_RETURN = regex(r"\s*return\b")
_FUNCTION = regex(r"\b([A-Za-z_]\w*)\s*\([^(){};]{0,300}\)\s*(?:const\s*|noexcept\s*)*\{")
_OUTSIDE = regex(r"\A[gms]_|_\Z")
"""How people call variables that are declared outside of functions, and members."""
_COMPARED = r"\s*(?:[<>](?![<>])=?|[=!]=)\s*\d"


class _Value(NamedTuple):
    """A name for a value, and where it stands for that."""

    shape: str
    reach: Span


def compared(text: str, read: Iterable[Span]) -> Iterator[Span]:
    """Each comparison with a number, and `switch`, of variables and functions that have a value.

    `read` are the places where the value itself is.
    """
    waiting = [value for each in read for value in _kept_by(text, each)]
    known: set[_Value] = set()
    while waiting and len(known) < _MOST_VALUES:
        value = waiting.pop()
        if value in known:
            continue
        known.add(value)
        for match in re.compile(value.shape).finditer(text, *value.reach):
            span = Span(*match.span())
            if re.match(_COMPARED, text[span.end : span.end + 40]) or _is_switched(text, span):
                yield span
            elif re.match(r"\s*[*+]\s*\d|\s*;", text[span.end : span.end + 40]):
                waiting.extend(_kept_by(text, span))


def _kept_by(text: str, place: Span) -> Iterator[_Value]:
    """What the statement around a place gives the value that is there, and not what it decides."""
    if re.match(_COMPARED, text[place.end : place.end + 40]):
        return
    floor = max(0, place.start - _LONGEST)
    start = max(text.rfind(mark, floor, place.start) for mark in ";{}") + 1
    function_end = text.find("\n}", place.end, place.end + _LONGEST_FUNCTION)
    last = min(len(text), place.end + _LONGEST_FUNCTION)
    reach = Span(place.end, function_end if function_end >= 0 else last)
    before = text[max(start, floor) : place.start]
    if target := _TARGET.search(before):
        if target["member"]:
            yield _Value(rf"(?:\.|->){target['name']}\b(?!\s*=[^=])", Span(0, len(text)))
        else:
            where = Span(0, len(text)) if _OUTSIDE.search(target["name"]) else reach
            yield _Value(rf"(?<![\w.>]){target['name']}\b(?!\s*[(=](?!=))", where)
    elif _RETURN.match(before):
        opened = max(0, place.start - _LONGEST, text.rfind("\n}", floor, place.start))
        heads = _FUNCTION.findall(text, opened, place.start)
        if heads and heads[-1] not in ("if", "while", "for", "switch"):
            yield _Value(rf"(?<!\w){heads[-1]}\s*\([^(){{}};]{{0,100}}\)", Span(0, len(text)))
    else:
        statement = text[max(start, floor) : text.find(";", place.end, place.end + 200) + 1]
        for name in _ADDRESS.findall(statement):
            yield _Value(rf"(?<![\w.>]){name}\b(?!\s*[(=](?!=))", reach)


def _is_switched(text: str, span: Span) -> bool:
    """Whether the value is all that a `switch` looks at."""
    before = text[max(0, span.start - 40) : span.start].rstrip()
    opened = span.start - (len(text[max(0, span.start - 40) : span.start]) - len(before)) - 1
    is_alone = before.endswith("(") and text[span.end : span.end + 20].lstrip().startswith(")")
    return is_alone and text[slice(*word_before(text, opened))] == "switch"
