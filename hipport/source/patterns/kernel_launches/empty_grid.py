"""Launches whose number of blocks is rounded up from a count that may be 0."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.languages.cuda_syntax import launch_offsets, parse_launch
from hipport.source.source_file import Unit

_REACH = 6_000


class Keys(RuleKeys, frozen=True):
    rounded: Regex
    tests: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first launch whose function compares the count with nothing."""
    keys = rule.read(Keys)
    text = unit.code.code
    for chevron in launch_offsets(unit.code):
        launch = parse_launch(unit.code, chevron)
        if launch is None or not launch.configuration or not counts(unit, rule, chevron):
            continue
        grid = launch.configuration[0]
        match = re.match(keys.rounded, text[grid.start : grid.end])
        if match is None:
            continue
        nearest = max(0, chevron - _REACH)
        function = text[max(nearest, text.rfind("\n}", nearest, chevron)) : chevron]
        count = match["count"]
        if not re.search(keys.tests.format(count=re.escape(count)), function):
            unit.report(rule.id, grid, " ".join(unit.code.slice(grid).split()), {"count": count})
            return
