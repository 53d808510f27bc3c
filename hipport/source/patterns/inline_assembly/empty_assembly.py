"""Empty asm statements that keep a value: their operands are in registers that PTX names."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.asm_statements import Statement, statements
from hipport.source.flow.device_code import counts, in_device_code
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    general: str
    everywhere: Regex
    """Constraints that no compiler of host code knows."""
    device: Regex
    """Constraints that may be the host's, too: in device code they are PTX's."""


class FixKeys(RuleKeys, frozen=True):
    finding: str
    constraints: Regex
    """Constraints of PTX; the group `register` is the letter that has another name."""
    register: str
    """The constraint of clang's for a register of each lane."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first operand of each empty statement whose constraint is PTX's."""
    keys = rule.read(Keys)
    for statement in _empty(unit, rule, keys.general):
        is_device = in_device_code(unit, statement.keyword.start)
        constraints = f"{keys.everywhere}|{keys.device}" if is_device else keys.everywhere
        for literal in statement.constraints:
            constraint = unit.code.slice(literal)[1:-1]
            if re.fullmatch(constraints, constraint):
                if counts(unit, rule, statement.keyword.start):
                    unit.report(rule.id, literal, constraint, part_of=statement.keyword)
                break


def fix(unit: Unit, rule: RewriteRule) -> None:
    """`asm volatile("" : "+f"(x))` of a device function becomes `asm volatile("" : "+v"(x))`."""
    keys = rule.read(FixKeys)
    finding = unit.rules.findings[keys.finding]
    for statement in _empty(unit, finding, finding.read(Keys).general):
        if not in_device_code(unit, statement.keyword.start):
            continue
        edits = []
        for literal in statement.constraints:
            match = re.fullmatch(keys.constraints, unit.code.slice(literal)[1:-1])
            if match:
                start, end = (literal.start + 1 + each for each in match.span("register"))
                edits.append((Span(start, end), keys.register))
        if edits:
            rewrite(unit, "empty-assembly", edits, [statement.keyword, *statement.constraints])


def _empty(unit: Unit, rule: FindingRule, general: str) -> list[Statement]:
    """The statements without instructions that have operands."""
    found = statements(unit, rule, general)
    return [each for each in found if each.template and not each.text.strip() and each.constraints]
