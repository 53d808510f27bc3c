"""Lanes of one mask that call warp functions from different places: one after the other on AMD."""

from __future__ import annotations

from bisect import bisect_left

import msgspec

from hipport.model import Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.branches import Branch, branches_in
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import arguments_in, functions
from hipport.source.flow.guards import LANES, reach
from hipport.source.flow.values import Values
from hipport.source.flow.values_of_file import values_of
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip

_LONGEST = 400


class Keys(RuleKeys, frozen=True):
    barriers: tuple[str, ...] = ()
    """Functions that take the mask of all lanes where none is given, and pass no values."""
    all_lanes: str = ""


class Call(msgspec.Struct, frozen=True):
    use: Use
    mask: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first call in an `else` whose mask is that of a call in the branch before it."""
    text, keys = unit.code.code, rule.read(Keys)
    uses = unit.of(rule.names)
    starts = [use.span.start for use in uses]
    if not starts or "else" not in text[starts[0] : starts[-1]]:
        return
    for index, function in enumerate(functions(unit.code, unit.rules)):
        first, last = (bisect_left(starts, at) for at in function.body)
        if last - first < 2:
            continue
        if "else" not in text[starts[first] : starts[last - 1]]:
            continue  # No branch can have calls on both sides.
        calls = [call for use in uses[first:last] if (call := _call(text, use, keys))]
        for branch in branches_in(unit.code, function.body):
            if branch.keyword == "if" and branch.other and _shared(branch, calls):
                each = values_of(unit)[index]
                _check_branch(unit, rule, each, branch, calls)


def _shared(branch: Branch, calls: list[Call]) -> set[str]:
    """The masks of calls on both sides of a branch."""
    assert branch.other is not None
    sides = [
        {call.mask for call in calls if side.start <= call.use.span.start < side.end}
        for side in (branch.body, branch.other)
    ]
    return sides[0] & sides[1]


def _check_branch(
    unit: Unit, rule: FindingRule, each: Values, branch: Branch, calls: list[Call]
) -> None:
    assert branch.other is not None
    first = {call.mask: call for call in reversed(_inside(each, branch, branch.body, calls))}
    second = _inside(each, branch, branch.other, calls)
    pair = next(((call, first[call.mask]) for call in second if call.mask in first), None)
    condition = unit.code.code[slice(*branch.condition)]
    if pair is None or reach(each, condition, branch.head) != LANES:
        return
    call, other = pair
    if counts(unit, rule, call.use.span.start):
        line = str(unit.code.position(other.use.span.start).line)
        is_barrier = call.use.name in rule.read(Keys).barriers
        severity = Severity.REVIEW if is_barrier else None
        words = {"mask": call.mask, "line": line}
        unit.report(rule.id, call.use.span, call.use.name, words, severity=severity)


def _inside(each: Values, branch: Branch, span: Span, calls: list[Call]) -> list[Call]:
    """The calls in a part of a branch whose masks were not made there."""
    return [
        call
        for call in calls
        if span.start <= call.use.span.start < span.end
        and not ((last := each.last(call.mask, call.use.span.start)) and last.offset >= branch.head)
    ]


def _call(text: str, use: Use, keys: Keys) -> Call | None:
    opened = skip(text, use.span.end)
    closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
    if closed is None or closed - opened > _LONGEST:
        return None
    arguments = arguments_in(text[opened + 1 : closed])
    mask = "".join(arguments[0].split()) if arguments else ""
    if not mask and use.name in keys.barriers:
        mask = keys.all_lanes
    return Call(use, mask) if mask and "(" not in mask else None
