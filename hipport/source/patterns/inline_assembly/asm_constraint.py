"""Operand constraints of PTX that clang does not know for AMD GPUs, and empty asm statements."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.asm_statements import statements
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
            if statement.template and not statement.text.strip():
                unit.report(rule.id, statement.keyword, unit.code.slice(statement.keyword))
            continue
        if not statement.is_ptx or not statement.text.strip():
            continue
        for literal in statement.constraints:
            constraint = unit.code.slice(literal)[1:-1]
            if re.fullmatch(keys.constraints, constraint):
                unit.report(rule.id, literal, constraint, part_of=statement.keyword)
                break
