"""Device functions that use the wavefront's size, and count 32 lanes as well."""

from __future__ import annotations

import re
from bisect import bisect_left

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts, is_left_out
from hipport.source.flow.device_functions import Function, functions
from hipport.source.names.constants import number
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    counted: Regex
    """What counts lanes: as a number (`count`), or by a constant's `name`."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first use of the size in each function that counts 32 lanes too."""
    every = {each.span.start: each for each in unit.of(rule.names)}
    starts = sorted(start for start in every if not is_left_out(unit, start))
    for function in functions(unit.code, unit.rules) if starts else ():
        next_use = bisect_left(starts, function.body.start)
        is_inside = next_use < len(starts) and starts[next_use] < function.body.end
        size = every[starts[next_use]] if is_inside else None
        other = _counted(unit, rule, function) if size else None
        if size and other and counts(unit, rule, size.span.start):
            line = str(unit.code.position(other.start()).line)
            unit.report(rule.id, size.span, size.name, {"other": other[0], "line": line})


def _counted(unit: Unit, rule: FindingRule, function: Function) -> re.Match[str] | None:
    """The first place in a function that counts 32 lanes."""
    lanes = unit.rules.lanes.lanes
    for match in re.compile(rule.read(Keys).counted).finditer(unit.code.code, *function.body):
        if match["count"] or number(unit.code, unit.rules, match["name"]) == lanes:
            return match
    return None
