"""Launches of many blocks that have one thread each."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.device_code import counts
from hipport.source.flow.launched_blocks import launched_blocks
from hipport.source.names.constants import number
from hipport.source.source_file import Unit
from hipport.source.warps.kept_warps import is_native

_ONE = re.compile(r"\s*(?:dim3\s*[({]\s*)?1[uU]?(?:\s*,\s*1[uU]?)*\s*[)}]?\s*")


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the block of each such launch."""
    for each in launched_blocks(unit.declarations, unit.rules):
        launch = each.launch
        start = unit.code.code.find(launch.block, launch.offset)
        is_one_block = (
            _ONE.fullmatch(launch.grid) or number(unit.code, unit.rules, launch.grid) == 1
        )
        if each.threads != 1 or is_one_block or is_native(unit, start):
            continue
        if counts(unit, rule, start):
            span = Span(start, start + len(launch.block))
            unit.report(rule.id, span, " ".join(launch.block.split()))
