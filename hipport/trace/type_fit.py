"""Whether a type or a template argument of a source can be one that a demangled name has."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.trace.trace_rules import trace_rules

_DROPPED = regex(
    r"\b(?:const|volatile|struct|class|enum|typename|__restrict__|__restrict|restrict|register"
    r"|__grid_constant__)\b|\[\[[^\]]*\]\]"
)
_SUFFIX = regex(r"((?:\s*(?:\*|&))*)\s*\Z")
_NUMBER = regex(r"(?:\(([^()]*)\))?(-?\d+)(?:u|l|ul|ll|ull)?\Z")
_WORD = regex(r"\w+")
_TRUTH = {"true": 1, "false": 0}
_DEPTH = 6
_NONE: Mapping[str, int] = {}
Argument = int | tuple[str, str]
"""A number, or a type in its one spelling and its `*` and `&`."""


class Fit(enum.IntEnum):
    """How far two spellings are known to mean the same."""

    DIFFERENT = 0
    UNKNOWN = 1
    SAME = 2


class Spelling:
    """What is known at a place where a source writes a type or a value."""

    def __init__(
        self,
        aliases: Mapping[str, str],
        dependent: frozenset[str] = frozenset(),
        values: Mapping[str, int] = _NONE,
    ) -> None:
        self.aliases = aliases
        """Name -> the one type that the tree gives it."""
        self.dependent = dependent
        """The parameters of templates, which stand for anything."""
        self.values = values
        """Expression -> its value, where that is a constant."""
        self._types: dict[tuple[str, str], Fit] = {}

    def type_fit(self, written: str, readable: str) -> Fit:
        """Whether a written type can be a demangled one; `const` is left out on both sides."""
        pair = (written, readable)
        if pair not in self._types:
            self._types[pair] = self._type_fit(written, readable)
        return self._types[pair]

    def _type_fit(self, written: str, readable: str) -> Fit:
        if self._is_open(written):
            return Fit.UNKNOWN
        own, own_suffix = self._taken_apart(written)
        other, suffix = canonical(readable)
        if own == other:
            return Fit.SAME if own_suffix == suffix else Fit.DIFFERENT
        if self._is_open(own):
            return Fit.UNKNOWN
        if own in trace_rules().sizes:
            # A demangled name has no aliases: another name is another type.
            return Fit.DIFFERENT
        is_plain = "<" not in own and "<" not in other and own_suffix == suffix
        return Fit.SAME if is_plain and _last(own) == _last(other) else Fit.UNKNOWN

    def argument_fit(self, written: str, readable: str) -> Fit:
        """Whether a written template argument can be a demangled one."""
        value = _number(readable)
        if value is None:
            return self.type_fit(written, readable)
        if self._is_open(written):
            return Fit.UNKNOWN
        text = written.strip()
        own = _number(text) if text not in self.values else self.values[text]
        if own is None:
            return Fit.UNKNOWN
        return Fit.SAME if own == value else Fit.DIFFERENT

    def plain_argument(self, written: str) -> Argument | None:
        """What a written template argument is, if it is a number or a type of the language: then no
        other demangled argument is the same. None for anything else."""
        if self._is_open(written):
            return None
        text = written.strip()
        value = self.values[text] if text in self.values else _number(text)
        if value is not None:
            return value
        base, suffix = self._taken_apart(written)
        return (base, suffix) if base in trace_rules().sizes else None

    def _is_open(self, text: str) -> bool:
        return bool(self.dependent) and not self.dependent.isdisjoint(_WORD.findall(text))

    def _taken_apart(self, written: str) -> tuple[str, str]:
        base, suffix = bare(written)
        for _ in range(_DEPTH):
            other = self.aliases.get(_last(base))
            if other is None:
                break
            base, more = bare(other)
            suffix = more + suffix
        return trace_rules().types.get(base, base), suffix


@lru_cache(maxsize=4096)
def argument(readable: str) -> Argument:
    """What a demangled template argument is."""
    value = _number(readable)
    return canonical(readable) if value is None else value


@lru_cache(maxsize=4096)
def canonical(text: str) -> tuple[str, str]:
    """The type without what is left out, in its one spelling, and its `*` and `&`."""
    base, suffix = bare(text)
    return trace_rules().types.get(base, base), suffix


@lru_cache(maxsize=4096)
def bare(text: str) -> tuple[str, str]:
    """The type without what is left out, as it is spelt, and its `*` and `&`."""
    text = " ".join(_DROPPED.sub(" ", text).split())
    match = _SUFFIX.search(text)
    suffix = "".join(match[1].split()) if match else ""
    base = text[: match.start()].strip() if match else text
    return base.removeprefix("::").removeprefix("std::"), suffix


def _last(name: str) -> str:
    return name.partition("<")[0].rpartition("::")[2].strip()


def _number(text: str) -> int | None:
    if text in _TRUTH:
        return _TRUTH[text]
    match = _NUMBER.match(text)
    return int(match[2]) if match else None
