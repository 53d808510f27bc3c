"""Barriers of a block in several branches of a condition that divides a wavefront.

AMD GPUs execute the branches one after the other, and each barrier counts for itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.block_waits import Wait, waits
from hipport.source.flow.branches import Branch, branches_in
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import functions
from hipport.source.flow.guards import HALVES, LANES, reach
from hipport.source.flow.values import Values
from hipport.source.flow.values_of_file import values_of
from hipport.source.source_file import Unit

_NAME = regex(r"(?<![\w.>])[A-Za-z_]\w*\b(?!\s*[.(])")
_NUMBER = regex(r"(?<![\w.])[1-9]\d{0,5}\b")
_BRANCH = regex(r"\b(?:if|switch)\b")
_RETURN = regex(r"\s*return\b")
_COMPARED = regex(r"(\S[^=!<>&|?]*?)\s*(==|!=|<|>=|>|<=)\s*(\d\w*)")
_LONGEST = 200
_OPPOSITES = ({"==", "!="}, {"<", ">="}, {">", "<="})
_CASE = regex(r"\b(?:case\b[^;{}]*?[^:]|default\s*):(?!:)")


Pair = tuple[Wait, Wait]


class Keys(RuleKeys, frozen=True):
    rows: Regex
    """The index of a thread along another axis than that on which lanes lie."""
    short_rows: str
    groups: Regex
    """What declares a group of the block: its `name`."""
    syncs: Regex
    """A barrier of such a group, whose name is its `group`."""
    ranks: Regex
    """The rank of a thread or of a tile, which may divide a wavefront."""
    small_groups: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first barrier on a side of a condition, if a side before has one too."""
    text, keys = unit.code.code, rule.read(Keys)
    every = functions(unit.code, unit.rules)
    found = waits(unit, rule.names, every, keys.groups, keys.syncs)
    starts = [each.span.start for each in found]
    reported: set[int] = set()
    for index, function in enumerate(every if found else ()):
        first, last = (
            bisect_left(starts, function.body.start),
            bisect_right(starts, function.body.end),
        )
        if last - first < 2 or not _BRANCH.search(text, function.body.start, starts[last - 1]):
            continue
        for branch, pair in _pairs(unit, function.body, found[first:last]):
            if pair[1].span.start in reported:
                continue
            where = _where(values_of(unit)[index], branch, keys)
            if where is not None and counts(unit, rule, pair[1].span.start):
                reported.add(pair[1].span.start)
                _report(unit, rule, branch, *pair, where)


def _report(
    unit: Unit, rule: FindingRule, branch: Branch, one: Wait, two: Wait, where: str
) -> None:
    place = unit.code.position(one.span.start).line
    line = unit.code.position(branch.head).line
    words = {"other": one.name, "place": str(place), "line": str(line), "where": where}
    severity = Severity.REVIEW if where else None
    unit.report(rule.id, two.span, two.name, words, severity=severity)


def _where(each: Values, branch: Branch, keys: Keys) -> str | None:
    """Under which condition a branch divides a wavefront: "" if it does, None if it does not."""
    if _divides(each, branch):
        return ""
    if _is_about(each, branch, keys.rows):
        return keys.short_rows
    condition = each.code.code[slice(*branch.condition)]
    wavefronts = (int(number) % 64 == 0 for number in _NUMBER.findall(condition))
    return (
        keys.small_groups if _is_about(each, branch, keys.ranks) and not any(wavefronts) else None
    )


def _divides(each: Values, branch: Branch) -> bool:
    condition = each.code.code[slice(*branch.condition)]
    return reach(each, condition, branch.head) in (LANES, HALVES)


def _is_about(each: Values, branch: Branch, index: str) -> bool:
    """Whether a condition has an index: a thread's row, which may be a warp, or a rank."""
    condition = each.code.code[slice(*branch.condition)]
    if re.search(index, condition):
        return True
    found = (each.last(name, branch.head) for name in _NAME.findall(condition))
    return any(last and re.search(index, each.code.code[slice(*last.span)]) for last in found)


def _pairs(unit: Unit, body: Span, found: list[Wait]) -> Iterator[tuple[Branch, Pair]]:
    """The conditions with barriers on two sides, and the first of each of those."""
    every = branches_in(unit.code, body)
    starts = [each.span.start for each in found]
    before: Branch | None = None
    for branch in every:
        first, last = (bisect_left(starts, at) for at in branch.body)
        if branch.keyword == "switch":
            sides = _cases(unit.code.code, branch) if last - first > 1 else []
        elif first == last or branch.keyword != "if":
            continue
        elif branch.other:
            sides = [branch.body, branch.other]
        elif _leaves(unit.code.code, branch):
            sides = [branch.body, Span(branch.end, _end_of_rest(every, branch, body))]
        else:
            sides = [branch.body]
        if before and before.end <= branch.head and _excludes(unit.code.code, before, branch):
            yield branch, (_first(starts, found, before.body)[0], found[first])
        before = branch if len(sides) == 1 else None
        waiting = [each for side in sides for each in _first(starts, found, side)]
        if len(waiting) > 1:
            yield branch, (waiting[0], waiting[1])


def _first(starts: list[int], found: list[Wait], side: Span) -> list[Wait]:
    """The first barrier of a side, if it has one."""
    index = bisect_left(starts, side.start)
    return found[index : index + 1] if starts[index : index + 1] < [side.end] else []


def _cases(text: str, branch: Branch) -> list[Span]:
    ends = [match.end() for match in _CASE.finditer(text, *branch.body)]
    return [Span(*each) for each in pairwise((*ends, branch.body.end))]


def _leaves(text: str, branch: Branch) -> bool:
    """Whether all threads that take a branch leave the function at its end."""
    last = text[slice(*branch.body)].strip().removesuffix("}").rstrip()
    start = max(last.rfind(mark, 0, len(last) - 1) for mark in ";{}") + 1
    return last.endswith(";") and _RETURN.match(last, start) is not None


def _end_of_rest(every: list[Branch], branch: Branch, body: Span) -> int:
    """Up to where threads go that do not take a branch: behind an `else` are others."""
    around = (
        each.body.end
        for each in every
        if each.body.start <= branch.head < each.body.end
        and (each.other or each.keyword == "switch")
    )
    return min(around, default=body.end)


def _excludes(text: str, one: Branch, two: Branch) -> bool:
    """Whether two conditions in a row hold for none of the same threads: `a == 0`, `a != 0`."""
    if max(each.condition.end - each.condition.start for each in (one, two)) > _LONGEST:
        return False
    found = [_COMPARED.fullmatch(text[slice(*each.condition)].strip()) for each in (one, two)]
    sides = [each.groups() for each in found if each]
    if len(sides) != len(found):
        return False
    (left, mark, right), (other, other_mark, number) = sides
    if "".join(left.split()) != "".join(other.split()):
        return False
    if mark == other_mark == "==":
        return bool(right != number)
    return right == number and {mark, other_mark} in _OPPOSITES
