"""Calls of overloads that only NVIDIA's newest GPUs have: often beside a branch for all others."""

from __future__ import annotations

from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.device_code import counts
from hipport.source.names.hip_branches import is_for_nvidia_gpus
from hipport.source.patterns.pattern_matches import pattern_matches
from hipport.source.source_file import Unit


def find(unit: Unit, rule: FindingRule) -> None:
    """Report what the rule's patterns find, but where AMD's GPUs take another branch."""
    for span in sorted(set(pattern_matches(unit, rule))):
        if is_for_nvidia_gpus(unit.code, unit.rules, span.start):
            continue
        if counts(unit, rule, span.start):
            unit.report(rule.id, span, unit.code.slice(span))
