"""Functions that differ in their only parameter's type, of which HIP has one for both."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each definition that repeats one before it once the types are mapped."""
    types = "|".join(sorted(rule.names))
    shape = rf"\b(?P<name>[A-Za-z_]\w*)\s*\(\s*(?:const\s+)?(?P<type>{types})\s*&?\s*\w*\s*\)\s*\{{"
    seen: dict[str, str] = {}
    for match in re.finditer(shape, unit.code.code):
        first = seen.setdefault(match["name"], match["type"])
        if first != match["type"] and counts(unit, rule, match.start()):
            unit.report(rule.id, Span(*match.span("name")), match["name"], {"type": first})
