"""Inline assembly in PTX. An empty template is a compiler barrier and works everywhere."""

from __future__ import annotations

from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.asm_statements import PtxWords as Keys
from hipport.source.flow.asm_statements import statements
from hipport.source.source_file import Unit

__all__ = ["Keys", "find"]


def find(unit: Unit, rule: FindingRule) -> None:
    """Report every asm statement with instructions that are, or look like, PTX."""
    for statement in statements(unit, rule, rule.id):
        if statement.is_ptx and statement.text.strip():
            unit.report(rule.id, statement.keyword, unit.code.slice(statement.keyword))
