"""Warp functions whose names a macro pastes together, and that cannot all be seen."""

from __future__ import annotations

from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.warps.pasted_functions import pastings


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the pastings that build warp functions, and maybe other names too."""
    for directive in unit.code.directives:
        for each in pastings(unit, directive) if directive.keyword == "define" else ():
            if not each.first and counts(unit, rule, each.whole.start):
                unit.report(rule.id, each.whole, "".join(unit.code.slice(each.whole).split()))
