"""Names that CMake's configure_file replaces in a source: `@NAME@`, `#cmakedefine NAME`."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.source.source_file import Unit
from hipport.source.text.quick_search import symbol_span


def find(unit: Unit, rule: FindingRule) -> None:
    """Report what the rule's patterns match outside comments, in literals too."""
    for pattern in rule.patterns:
        for match in re.finditer(pattern, unit.code.uncommented, re.MULTILINE):
            span = symbol_span(match)
            unit.report(rule.id, span, unit.code.slice(span))
