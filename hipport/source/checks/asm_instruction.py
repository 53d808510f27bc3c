"""PTX instructions by name, so that each gets the remedy of its kind."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.checks import counts
from hipport.source.checks.asm_statements import statements
from hipport.source.rules import FindingRule
from hipport.source.unit import Unit


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each instruction once a statement, at the place in the literal that names it."""
    for statement in statements(unit, rule):
        if statement.is_ptx == bool(rule.data.get("in_ports")):
            continue
        if not counts(unit, rule, statement.keyword.start):
            continue
        seen: set[str] = set()
        for literal in statement.template:
            for match in re.finditer(rule.data["instructions"], unit.code.slice(literal)):
                symbol = match["symbol"]
                if symbol not in seen:
                    seen.add(symbol)
                    start = literal.start + match.start("symbol")
                    unit.report(rule.id, Span(start, start + len(symbol)), symbol)
