"""Operand constraints of PTX that clang does not know for AMD GPUs, and empty asm statements."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.asm_statements import Statement, statements
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    general: str
    empty: bool = False
    constraints: Regex = Regex("")


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first operand of each statement whose constraint is the rule's."""
    keys = rule.read(Keys)
    for statement in statements(unit, rule, keys.general):
        if not counts(unit, rule, statement.keyword.start):
            continue
        if keys.empty:
            if _is_barrier(unit, statement, keys.constraints):
                unit.report(rule.id, statement.keyword, unit.code.slice(statement.keyword))
            continue
        if not statement.is_ptx or not statement.text.strip():
            continue
        for literal in statement.constraints:
            constraint = unit.code.slice(literal)[1:-1]
            if re.fullmatch(keys.constraints, constraint):
                unit.report(rule.id, literal, constraint, part_of=statement.keyword)
                break


def _is_barrier(unit: Unit, statement: Statement, others: str) -> bool:
    """Whether a statement is empty, and has no operand of the constraints given."""
    if not statement.template or statement.text.strip():
        return False
    constraints = (unit.code.slice(literal)[1:-1] for literal in statement.constraints)
    return not any(re.fullmatch(others, each) for each in constraints)
