"""Inline assembly in PTX. An empty template is a compiler barrier and works everywhere."""

from __future__ import annotations

from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.asm_statements import PtxWords as Keys
from hipport.source.flow.asm_statements import statements
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.text.quick_search import matches


def find(unit: Unit, rule: FindingRule) -> None:
    """Report every asm statement with instructions that are, or look like, PTX."""
    keys = rule.read(Keys)
    for each in statements(unit, rule, rule.id):
        if not each.is_ptx or not each.text.strip() or any(matches(keys.amd, each.text)):
            continue
        if counts(unit, rule, each.keyword.start):
            unit.report(rule.id, each.keyword, unit.code.slice(each.keyword))
