"""Macros for CUDA's headers that a source sets when its compiler has read them already."""

from __future__ import annotations

from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.switches import is_set_too_late
from hipport.source.source_file import Unit


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each definition of the rule's names that comes too late to change anything."""
    for name in rule.names:
        known = unit.rules.api(name)
        if known is None or not is_set_too_late(unit, known):
            continue
        for use in unit.uses.get(name, ()):
            directive = unit.code.directive_at(use.span.start)
            if directive is not None and directive.keyword == "define":
                unit.report(rule.id, use.span, name)
