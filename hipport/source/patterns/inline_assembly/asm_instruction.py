"""PTX instructions by name, so that each gets the remedy of its kind."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.asm_statements import statements
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.text.required_texts import may_match


class Keys(RuleKeys, frozen=True):
    instructions: Regex
    general: str
    unless_with: Regex = Regex("")
    """What in the same statement means that all of it has to go, so that this is no matter."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each instruction once per statement, at the place in the literal that names it."""
    keys = rule.read(Keys)
    if not unit.code.may_match(keys.instructions):
        return
    for statement in statements(unit, rule, keys.general):
        template = statement.template
        if not template or statement.is_ptx == bool(rule.in_ports):
            continue
        whole = Span(template[0].start, template[-1].end)
        if not may_match(keys.instructions, unit.code.slice(whole)):
            continue
        if keys.unless_with and re.search(keys.unless_with, unit.code.text[slice(*whole)]):
            continue
        seen: set[str] = set()
        for match in re.compile(keys.instructions).finditer(unit.code.text, *whole):
            symbol, start = match["symbol"], match.start("symbol")
            if symbol in seen or not any(each.start <= start < each.end for each in template):
                continue
            if not counts(unit, rule, statement.keyword.start):
                break
            seen.add(symbol)
            span = Span(start, start + len(symbol))
            unit.report(rule.id, span, symbol, part_of=statement.keyword)
