"""Barriers of a block in both branches of a condition that divides a wavefront: two on AMD."""

from __future__ import annotations

from bisect import bisect_left

from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.branches import branches_in
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import functions
from hipport.source.flow.guards import HALVES, LANES, reach
from hipport.source.flow.values import values
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first barrier behind an `else`, where the branch before it has one too."""
    text = unit.code.code
    uses = unit.of(rule.names)
    starts = [use.span.start for use in uses]
    if not starts or "else" not in text[starts[0] : starts[-1]]:
        return
    for index, function in enumerate(functions(unit.code, unit.rules)):
        first, last = (bisect_left(starts, at) for at in function.body)
        if last - first < 2 or "else" not in text[starts[first] : starts[last - 1]]:
            continue
        reported: set[int] = set()
        for branch in branches_in(unit.code, function.body):
            if branch.keyword != "if" or branch.other is None:
                continue
            sides = [_first(uses[first:last], *side) for side in (branch.body, branch.other)]
            behind = sides[1]
            if sides[0] is None or behind is None or behind.span.start in reported:
                continue
            each = values(unit.code, unit.rules)[index]
            condition = text[slice(*branch.condition)]
            if reach(each, condition, branch.head) not in (LANES, HALVES):
                continue
            if counts(unit, rule, behind.span.start):
                reported.add(behind.span.start)
                line = str(unit.code.position(branch.head).line)
                unit.report(rule.id, behind.span, behind.name, {"line": line})


def _first(uses: list[Use], start: int, end: int) -> Use | None:
    return next((use for use in uses if start <= use.span.start < end), None)
