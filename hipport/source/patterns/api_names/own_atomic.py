"""Atomic functions that the user defines at file scope and that HIP's headers define too."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.source_file import Unit


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each declaration that reaches the whole file: elsewhere it hides HIP's own."""
    whole = Span(0, len(unit.code.data))
    for name in rule.names:
        for use in unit.uses.get(name, ()):
            scope = None if use.is_member else unit.declarations.scope(use.span)
            if scope and whole in scope:
                unit.report(rule.id, use.span, name)
