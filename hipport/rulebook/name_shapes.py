"""What names of CUDA and its libraries look like, whether a rule knows them or not.

All shapes as one expression take 6 ms to compile, as often as a program starts. One whose text
begins otherwise than a name is never compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hipport.lazy_regex import regex

_TOKEN = regex(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]|[^\\\[()|]+", re.DOTALL)
_BEGINNING = regex(r"\w*", re.ASCII)
_REPEATS = frozenset("?*+{")


class NameShapes:
    """Regular expressions, one of which a name matches."""

    def __init__(self, shapes: Iterable[str]) -> None:
        self._ways: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
        """First character of a way, if that is fixed -> the fixed text that it begins with."""
        for way in (way for shape in shapes for way in ways_of(shape)):
            beginning = beginning_of(way)
            self._ways.setdefault(beginning[:1], []).append((beginning, regex(way, re.ASCII)))

    def fullmatch(self, name: str) -> bool:
        return any(way.fullmatch(name) for way in self._possible(name, 0))

    def match(self, text: str, start: int) -> bool:
        """Whether one of them matches at an offset."""
        return any(way.match(text, start) for way in self._possible(text, start))

    def _possible(self, text: str, start: int) -> Iterator[re.Pattern[str]]:
        for first in ("", text[start : start + 1]):
            for beginning, way in self._ways.get(first, ()):
                if text.startswith(beginning, start):
                    yield way


def ways_of(shape: str) -> list[str]:
    """The parts of an expression between the `|` that are in no group."""
    ways, depth = [""], 0
    for token in _TOKEN.findall(shape):
        depth += (token == "(") - (token == ")")
        if token == "|" and not depth:
            ways.append("")
        else:
            ways[-1] += token
    return ways


def beginning_of(way: str) -> str:
    """The text with which all matches of an expression without `|` begin."""
    found = _BEGINNING.match(way)
    text = found[0] if found else ""
    return text[:-1] if way[len(text) : len(text) + 1] in _REPEATS else text
