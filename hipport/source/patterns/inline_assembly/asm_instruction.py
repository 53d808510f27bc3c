"""PTX instructions by name, so that each gets the remedy of its kind."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.inline_assembly.asm_statements import statements
from hipport.source.patterns.run_checks import counts
from hipport.source.source_file import Unit


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each instruction once a statement, at the place in the literal that names it."""
    shape = re.compile(rule.data["instructions"])
    for statement in statements(unit, rule):
        template = statement.template
        if not template or statement.is_ptx == bool(rule.data.get("in_ports")):
            continue
        seen: set[str] = set()
        for match in shape.finditer(unit.code.text, template[0].start, template[-1].end):
            symbol, start = match["symbol"], match.start("symbol")
            if symbol in seen or not any(each.start <= start < each.end for each in template):
                continue
            if not counts(unit, rule, statement.keyword.start):
                break
            seen.add(symbol)
            span = Span(start, start + len(symbol))
            unit.report(rule.id, span, symbol, part_of=statement.keyword)
