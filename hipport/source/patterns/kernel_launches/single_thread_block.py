"""Launches of many blocks that have one thread each."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.device_code import counts
from hipport.source.flow.launched_blocks import launched_blocks, sizes_in
from hipport.source.names.constants import number
from hipport.source.source_file import Unit
from hipport.source.warps.kept_warps import is_native


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the block of each such launch."""
    for each in launched_blocks(unit.declarations, unit.rules):
        if each.threads != 1:
            continue
        launch = each.launch
        start = unit.code.code.find(launch.block, launch.offset)
        blocks = sizes_in(launch.grid.strip(), unit.rules)
        is_one_block = all(number(unit.code, unit.rules, each) == 1 for each in blocks)
        if is_one_block or is_native(unit, start):
            continue
        if counts(unit, rule, start):
            span = Span(start, start + len(launch.block))
            unit.report(rule.id, span, " ".join(launch.block.split()))
