"""Which lanes of a wavefront conditions let through."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property

from hipport.lazy_regex import regex
from hipport.source.flow.branches import Branch, branches_in, enclosing
from hipport.source.flow.operands import without_casts
from hipport.source.flow.values import (
    LANE,
    NOTHING,
    THREAD,
    VARYING,
    WARP,
    WAVE_LANE,
    Kinds,
    Values,
)
from hipport.source.names.constants import number

_ONE = regex(r"==\s*\(?\s*(?:\d+\w*|\w+\s*-\s*1)\b|!\s*\w|\b\d+\s*==")
_OTHERS = regex(r"!=\s*\d|>\s*0\b|^\s*[\w.]+\s*$")
_RETURN = regex(r"\s*\{?\s*return\b[^;]*;\s*\}?\s*")
_CALLED = regex(r"(?<![\w.>])([A-Za-z_]\w*)\s*(?:<[\w\s,:*]*>\s*)?\(")
_AND_OR = regex(r"&&|\|\|")
_COMPARED = regex(r"(?<![<>-])(?:[<>]=?|[=!]=)(?![<>=])")
_ADDED = regex(r"([+-])\s*(\d{1,9})[\s)]*\Z")
_NAMES = regex(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)?")
_CONSTANT = regex(r"k[A-Z]|blockDim\b")
_DEEPEST = 3

LANES = "lanes"
"""Some lanes of a wavefront go one way, some the other."""
HALVES = "halves"
"""The two halves of a wavefront may go different ways: CUDA's warps."""
UNKNOWN = "unknown"
"""That depends on constants which are not known here."""


class Guards:
    """What conditions of a function, before an offset and around it, let through."""

    def __init__(self, values: Values, every: list[Branch]) -> None:
        self._values, self._ends, self._left = values, [0], [NOTHING]
        text = values.code.code
        for branch in sorted(every, key=lambda each: each.end):
            condition = text[slice(*branch.condition)]
            leaves = _OTHERS.search(condition) and "&&" not in condition
            if branch.keyword == "if" and leaves and _RETURN.fullmatch(text, *branch.body):
                kinds = values.kinds(condition, branch.head) & {THREAD, LANE, WAVE_LANE}
                self._ends.append(branch.end)
                self._left.append(self._left[-1] | kinds)

    def chosen(self, around: Iterable[Branch], offset: int) -> Kinds:
        """Of which kinds one reaches an offset: one THREAD of a block, one LANE of each warp."""
        text = self._values.code.code
        found = self._left[bisect_right(self._ends, offset) - 1]
        for branch in around:
            if branch.keyword == "if" and offset < branch.body.end:
                for each in text[slice(*branch.condition)].split("&&"):
                    found |= _chosen_by(self._values, each, branch.head)
        return found


def _chosen_by(values: Values, condition: str, offset: int, depth: int = 0) -> Kinds:
    if _ONE.search(condition):
        return values.kinds(condition, offset) & {THREAD, LANE, WAVE_LANE}
    name = condition.strip(" ()\n\t")
    last = values.last(name, offset) if name.isidentifier() and depth < _DEEPEST else None
    if last and last.span.start < last.span.end:
        assigned = values.code.code[slice(*last.span)]
        return _chosen_by(values, assigned, last.offset, depth + 1)
    return NOTHING


class Calls:
    """The calls between the device functions of a file."""

    def __init__(self, every: list[Values]) -> None:
        self._every = every
        self._kinds: dict[int, dict[str, list[Kinds]]] = {}

    def kinds(self, function: str) -> list[Kinds]:
        """Of which kinds one reaches each call of a function."""
        callers = self._callers.get(function, ())
        return [kinds for index in callers for kinds in self._in(index).get(function, ())]

    @cached_property
    def _callers(self) -> dict[str, list[int]]:
        """Function -> the numbers of those that call it."""
        found: dict[str, list[int]] = {}
        for index in range(len(self._every)):
            for name in dict.fromkeys(self._calls(index).values()):
                found.setdefault(name, []).append(index)
        return found

    def _calls(self, index: int) -> dict[int, str]:
        """The offset of each call in a function, and what it calls."""
        function = self._every[index].function
        return {
            match.start(): match[1]
            for match in _CALLED.finditer(self._every[index].code.code, *function.body)
            if match[1] in self._names and match[1] != function.name
        }

    @cached_property
    def _names(self) -> set[str]:
        return {each.function.name for each in self._every}

    def _in(self, index: int) -> dict[str, list[Kinds]]:
        """Function -> of which kinds one reaches its calls in another."""
        found = self._kinds.get(index)
        if found is None:
            found = self._kinds[index] = {}
            values, calls = self._every[index], self._calls(index)
            all_of_it = branches_in(values.code, values.function.body)
            guards = Guards(values, all_of_it if calls else [])
            for offset, around in enclosing(all_of_it, calls):
                found.setdefault(calls[offset], []).append(guards.chosen(around, offset))
        return found


def reach(values: Values, condition: str, offset: int) -> str:
    """How a condition divides the lanes of a wavefront: the strongest of what its parts do."""
    parts = _AND_OR.split(without_casts(condition))
    found = {_divides(values, each, offset) for each in parts}
    return next((each for each in (LANES, HALVES, UNKNOWN) if each in found), "")


def _divides(values: Values, part: str, offset: int, depth: int = 0) -> str:
    kinds = values.kinds(part, offset)
    if not kinds & VARYING:
        return HALVES if WARP in kinds else ""
    compared = _COMPARED.search(part)
    if compared is None:
        name = part.strip(" ()!\n\t")
        last = values.last(name, offset) if name.isidentifier() and depth < _DEEPEST else None
        if last and last.span.start < last.span.end:
            assigned = without_casts(values.code.code[slice(*last.span)])
            return _divides(values, assigned, last.offset, depth + 1)
        return LANES
    one, mark, two = part[: compared.start()], compared[0], part[compared.end() :]
    is_first = bool(values.kinds(one, offset) & VARYING)
    bound, index = (two, one) if is_first else (one, two)
    if values.kinds(bound, offset) & VARYING or mark in ("==", "!="):
        return LANES
    # `lane > 0` and `lane <= 0` have the bound on the lower side.
    further = int(mark in ((">", "<=") if is_first else ("<", ">=")))
    if added := _ADDED.search(index):
        # `lane + 1 < 32`
        further -= int(added[1] + added[2])
    return _divided_at(values, bound.strip(" ()"), values.kinds(index, offset), further)


def _divided_at(values: Values, bound: str, kinds: Kinds, further: int) -> str:
    """What a bound on an index, or the number behind it, does to the wavefront it falls into."""
    lanes = values.words.lanes
    value = number(values.code, values.rules, bound)
    if value is not None:
        value += further
        if LANE in kinds and value >= lanes:
            return ""
        return LANES if value % lanes else HALVES if value % (2 * lanes) else ""
    sizes = values.words.warp_size
    if "/" not in bound and "-" not in bound and any(each in bound for each in sizes):
        return ""
    names = _NAMES.findall(bound)
    is_known_when_built = all(
        each.lstrip("_")[:1].isupper() or _CONSTANT.match(each) for each in names
    )
    return UNKNOWN if is_known_when_built else LANES
