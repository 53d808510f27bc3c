"""Texts that a regular expression cannot match without, to look for before it is tried.

Finding a fixed text takes a hundredth of the time of a search by an expression that begins with
anything else.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cache

from hipport.lazy_regex import regex
from hipport.source.text.expression_parts import Group, Part, Repeat, parts_of, ways_of
from hipport.source.text.known_expressions import known
from hipport.source.text.quick_search import matches, places

_SHORTEST = 2
_MOST = 32
_WORD = regex(r"\w+", re.ASCII)

Choice = tuple[str, ...]
"""Texts, one of which is needed."""


def has_any(text: str, wanted: Iterable[str]) -> bool:
    """Whether a text contains one of the wanted texts."""
    # A loop, as a generator for `any` takes three times as long.
    for each in wanted:  # noqa: SIM110
        if each in text:
            return True
    return False


def may_match(pattern: str, text: str) -> bool:
    """Whether the text has what any match of the pattern has; never False for one that matches."""
    return all(has_any(text, choice) for choice in required(pattern))


def may_match_among(pattern: str, text: str, words: str) -> bool:
    """The same; `words` are those of the text, each once, which takes less time to look through."""
    for choice in _with_words(pattern):
        for word, wanted in choice:
            if word in words and wanted in text:
                break
        else:
            return False
    return True


def is_found(pattern: str, text: str) -> bool:
    """Whether the pattern matches anywhere in the text; `^` and `$` match at lines."""
    return any(may_match(each, text) and any(matches(each, text)) for each in ways_of(pattern))


class RequiredPlaces:
    """Where a text has what any match of a pattern has: only parts with one of these may match."""

    def __init__(self, pattern: str, text: str, may_have: Callable[[str], bool]) -> None:
        """`may_have` says quickly which texts are not worth looking for."""
        choices = required(pattern)
        self._places = places(filter(may_have, choices[0]), text) if choices else None

    def may_match(self, start: int, end: int) -> bool:
        """Whether a match may be between two offsets."""
        if self._places is None:
            return True
        index = bisect_left(self._places, start)
        return index < len(self._places) and self._places[index] < end


@cache
def required(pattern: str) -> tuple[Choice, ...]:
    """Choices of texts: a match contains at least one of each. None if that is not known."""
    if of_wheel := known(pattern):
        return of_wheel.required
    whole = parts_of(pattern, re.MULTILINE)
    # The rarest first: long texts, and few of them.
    return tuple(sorted(_of_sequence((whole,)), key=_commonness)) if whole else ()


@cache
def _with_words(pattern: str) -> list[list[tuple[str, str]]]:
    """The choices of texts, each with the longest part of it that is a word, or in one."""
    return [[(longest_word(text), text) for text in choice] for choice in required(pattern)]


@cache
def longest_word(text: str) -> str:
    """The longest part of a text that is one word, or of one; "" if there is none."""
    return max(_WORD.findall(text), key=len, default="")


def _commonness(choice: Choice) -> tuple[int, int]:
    return (-min(map(len, choice)), len(choice))


def _of_sequence(parts: Iterable[Part]) -> list[Choice]:
    """What the parts of a sequence require, all of which have to match."""
    choices: list[Choice] = []
    for part in parts:
        if isinstance(part, str):
            choices.append((part,))
        elif isinstance(part, Group):
            choices += _of_group(part)
        elif isinstance(part, Repeat) and part.least:
            choices += _of_sequence((part.part,))
    return [each for each in dict.fromkeys(choices) if min(map(len, each)) >= _SHORTEST]


def _of_group(group: Group) -> list[Choice]:
    if group.is_folded:
        return []
    if len(group.ways) == 1:
        return _of_sequence(group.ways[0])
    ways = [min(_of_sequence(each), key=_commonness, default=()) for each in group.ways]
    texts = tuple(dict.fromkeys(text for way in ways for text in way))
    return [texts] if all(ways) and len(texts) <= _MOST else []
