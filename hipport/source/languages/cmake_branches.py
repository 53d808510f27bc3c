"""Which parts of CMake code do not count where a tree is built for AMD, by `if` around them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Set

import msgspec

from hipport.model import Span
from hipport.rulebook.branch_words import CMakeBranches
from hipport.source.languages.cmake_syntax import Argument, Command, commands

_COMPARISONS = ("STREQUAL", "MATCHES", "EQUAL")
_ON = ("ON", "TRUE", "YES", "1")


class _Branch(msgspec.Struct, frozen=True):
    start: int
    holds: bool | None
    names_nvidia: bool


def dead_spans(data: bytes, words: CMakeBranches) -> list[Span]:
    """What a build for AMD leaves out, in order; one span may be inside another."""
    every = commands(data)
    left_out = _left_out(every, _Conditions(every, words, frozenset()))
    unset = _set_only_in(left_out, every) if left_out else frozenset()
    return _left_out(every, _Conditions(every, words, unset)) if unset else left_out


def _set_only_in(spans: list[Span], every: tuple[Command, ...]) -> Set[str]:
    """The variables that only what is left out switches on; `find_package` sets X_FOUND."""
    inside: set[str] = set()
    outside: set[str] = set()
    waiting, end = deque(sorted(spans)), 0
    for command in every:
        while waiting and waiting[0].start <= command.span.start:
            end = max(end, waiting.popleft().end)
        if command.span.start >= end:
            if command.name not in ("if", "elseif"):
                outside.update(each.text for each in command.arguments)
        elif command.name == "set" and command.arguments[1:2]:
            name, value = (each.text for each in command.arguments[:2])
            inside.update([name] if value.upper() in _ON else [])
    return {name for name in inside - outside if not name.endswith("_FOUND")}


def _left_out(every: tuple[Command, ...], conditions: _Conditions) -> list[Span]:
    """The branches that a build for AMD leaves out, in order."""
    open_: list[list[_Branch]] = []
    found: list[Span] = []
    for command in every:
        if command.name == "if":
            open_.append([conditions.branch(command)])
        elif command.name in ("elseif", "else") and open_:
            open_[-1].append(conditions.branch(command))
        elif command.name == "endif" and open_:
            found += _dead(open_.pop(), command.span.start)
    return sorted(found)


def _dead(branches: list[_Branch], end: int) -> list[Span]:
    """The branches of one `if` that do not count.

    Where one is for AMD, those behind it do not, nor those whose conditions name NVIDIA's.
    """
    ends = [*(each.start for each in branches[1:]), end]
    amd = next((at for at, each in enumerate(branches) if each.holds), len(branches))
    has_amd = amd < len(branches)
    return [
        Span(branch.start, stop)
        for at, (branch, stop) in enumerate(zip(branches, ends, strict=True))
        if branch.holds is False or at > amd or (has_amd and at != amd and branch.names_nvidia)
    ]


class _Conditions:
    def __init__(self, every: tuple[Command, ...], words: CMakeBranches, unset: Set[str]) -> None:
        self._words = words
        self._unset = unset
        self._variables = {
            _plain(command.arguments[at])
            for command in every
            if command.name in ("if", "elseif")
            for at, each in enumerate(command.arguments[:-2])
            if command.arguments[at + 1].text in _COMPARISONS
            and re.fullmatch(words.amd_value, command.arguments[at + 2].text)
        }

    def branch(self, command: Command) -> _Branch:
        texts = [_plain(each) for each in command.arguments]
        names_nvidia = re.search(self._words.nvidia, " ".join(texts)) is not None
        if command.name == "else":
            return _Branch(command.span.end, None, names_nvidia=False)
        return _Branch(command.span.end, self._holds(texts), names_nvidia)

    def _holds(self, texts: list[str]) -> bool | None:
        """Whether a condition holds in a build for AMD; None if that is not known.

        AND comes before OR (cmake-language(7)); parentheses are left undecided.
        """
        if "(" in texts:
            return None
        ways = [[self._term(term) for term in _split(way, "AND")] for way in _split(texts, "OR")]
        values = [False if False in way else None if None in way else True for way in ways]
        return True if True in values else None if None in values else False

    def _term(self, texts: list[str]) -> bool | None:
        if self._is_unset(texts):
            return False
        if texts[:1] == ["NOT"]:
            holds = self._term(texts[1:])
            # What is not for another compiler need not be for AMD.
            return None if holds is None or self._is_unset(texts[1:]) else not holds
        if len(texts) == 1:
            return True if re.fullmatch(self._words.amd, texts[0]) else None
        if len(texts) != 3 or texts[1] not in _COMPARISONS:
            return None
        variable, _, value = texts
        is_known = variable in self._variables or re.fullmatch(self._words.variable, variable)
        if is_known and re.fullmatch(self._words.amd_value, value):
            return True
        return False if is_known and re.fullmatch(self._words.nvidia_value, value) else None

    def _is_unset(self, texts: list[str]) -> bool:
        """Whether a condition is false: for compilers of others, or on a variable of theirs."""
        condition = " ".join(texts)
        other = self._words.other_compilers
        return condition in self._unset or re.fullmatch(other, condition) is not None


def _plain(argument: Argument) -> str:
    """The text of an argument; of a reference to a variable, its name."""
    reference = re.fullmatch(r"\$\{(\w+)\}", argument.text)
    return reference[1] if reference else argument.text


def _split(texts: list[str], word: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for each in texts:
        if each == word:
            parts.append([])
        else:
            parts[-1].append(each)
    return parts
