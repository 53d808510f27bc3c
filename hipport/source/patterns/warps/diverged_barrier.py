"""Barriers of a block in several branches of a condition that divides a wavefront.

AMD GPUs execute the branches one after the other, and each barrier counts for itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from hipport.graph import reached
from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.branches import Branch, branches_in
from hipport.source.flow.call_graph import callers
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import Function, functions
from hipport.source.flow.guards import HALVES, LANES, reach
from hipport.source.flow.values import Values, values
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip
from hipport.source.text.quick_search import matches
from hipport.source.text.required_texts import has_any

_NAME = regex(r"(?<![\w.>])[A-Za-z_]\w*\b(?!\s*[.(])")
_NUMBER = regex(r"(?<![\w.])[1-9]\d{0,5}\b")
_SIDES = ("else", "case", "default")
"""What begins another side of a condition."""
_CASE = regex(r"\b(?:case\b[^;{}]*?[^:]|default\s*):(?!:)")


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


class Wait(msgspec.Struct, frozen=True):
    """A barrier, or a call of a function that has one."""

    span: Span
    name: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first barrier behind an `else` or a `case`, if the side before has one too."""
    text, keys = unit.code.code, rule.read(Keys)
    if not has_any(text, _SIDES):
        return
    every = functions(unit.code, unit.rules)
    barriers = [Wait(use.span, use.name) for use in unit.of(rule.names)]
    barriers += _of_groups(text, every, keys)
    if not barriers:
        return
    waits = sorted([*barriers, *_calls(unit, every, barriers)], key=lambda each: each.span.start)
    starts = [each.span.start for each in waits]
    reported: set[int] = set()
    for index, function in enumerate(every):
        first, last = (
            bisect_left(starts, function.body.start),
            bisect_right(starts, function.body.end),
        )
        if last - first < 2 or not has_any(text[starts[first] : starts[last - 1]], _SIDES):
            continue
        for branch in branches_in(unit.code, function.body):
            pair = _pair(text, branch, waits[first:last])
            if pair is None or pair[1].span.start in reported:
                continue
            where = _where(values(unit.code, unit.rules)[index], branch, keys)
            if where is not None and counts(unit, rule, pair[1].span.start):
                reported.add(pair[1].span.start)
                _report(unit, rule, branch, *pair, where)


def _of_groups(text: str, every: list[Function], keys: Keys) -> Iterator[Wait]:
    """The barriers of groups that are the block, as far as a function says so."""
    for match in matches(keys.syncs, text, re.NOFLAG) if "sync" in text else ():
        around = (each for each in every if each.body.start <= match.start() < each.body.end)
        function, group = next(around, None), match["group"] or match["given"]
        if function is None:
            continue
        before = text[function.head.start : match.start()] if group else ""
        if not group or any(each["name"] == group for each in re.finditer(keys.groups, before)):
            symbol = match[0].partition("(")[0] if match["group"] else match[0]
            yield Wait(Span(*match.span()), "".join(symbol.split()))


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


def _pair(text: str, branch: Branch, waits: list[Wait]) -> tuple[Wait, Wait] | None:
    """The first barriers of the first two sides that have one."""
    found: list[Wait] = []
    for side in _sides(text, branch):
        inside = (each for each in waits if side.start <= each.span.start < side.end)
        if first := next(inside, None):
            found.append(first)
    return (found[0], found[1]) if len(found) > 1 else None


def _sides(text: str, branch: Branch) -> list[Span]:
    if branch.keyword == "if" and branch.other:
        return [branch.body, branch.other]
    if branch.keyword != "switch":
        return []
    ends = [match.end() for match in _CASE.finditer(text, *branch.body)]
    return [Span(*each) for each in pairwise((*ends, branch.body.end))]


def _calls(unit: Unit, every: list[Function], barriers: list[Wait]) -> Iterator[Wait]:
    """The calls of functions that wait at a barrier, themselves or in others."""
    text = unit.code.code
    starts = [each.span.start for each in barriers]
    own = {each for each in every if _is_within(starts, each.body)}
    if all(each.is_kernel for each in own):
        return
    graph = callers(text, every)
    waiting = reached(graph, [each.name for each in own])
    # Of functions with one name, which one is called is not known.
    names = [each.name for each in every]
    for name in waiting - {each for each in waiting if names.count(each) > 1}:
        for at in occurrences(text, name):
            if text.startswith(("(", "<"), skip(text, at + len(name))):
                yield Wait(Span(at, at + len(name)), name)


def _is_within(starts: list[int], body: Span) -> bool:
    return bisect_left(starts, body.start) < bisect_left(starts, body.end)
