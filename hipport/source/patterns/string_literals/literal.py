"""What stands in string literals: options, file names and kernels as text."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.run_checks import counts
from hipport.source.source_file import Unit

_LONGEST_SYMBOL = 60


def check(unit: Unit, rule: FindingRule) -> None:
    """Report the first match of the rule's `literals` in each literal."""
    if rule.data.get("needs") and not re.search(rule.data["needs"], unit.code.code):
        return
    shape = re.compile(rule.data["literals"], re.MULTILINE)
    for literal in unit.code.literals:
        if literal.end - literal.start < len(rule.data["shortest"]) + 2:
            continue
        match = shape.search(unit.code.text, literal.start, literal.end)
        if match is None or not counts(unit, rule, literal.start):
            continue
        directive = unit.code.directive_at(literal.start)
        if directive is not None and directive.keyword != "define":
            continue
        span = Span(*match.span("symbol" if "symbol" in match.groupdict() else 0))
        symbol = " ".join(unit.code.slice(span).split())
        unit.report(rule.id, span, symbol[:_LONGEST_SYMBOL])
        if rule.data.get("once_per_file"):
            return
