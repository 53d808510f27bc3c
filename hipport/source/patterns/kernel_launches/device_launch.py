"""Kernel launches in device code: HIP has no dynamic parallelism."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.device_code import in_device_code
from hipport.source.languages.cuda_syntax import launch_offsets
from hipport.source.source_file import Unit


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each launch inside a function that runs only on the device."""
    for chevron in launch_offsets(unit.code):
        if in_device_code(unit, chevron):
            unit.report(rule.id, Span(chevron, chevron + 3), "<<<>>>")
