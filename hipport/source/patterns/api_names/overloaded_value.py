"""Names used as values whose HIP counterparts are overloaded: nothing says which one is meant."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.wanted_types import wanted_of
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip

_AROUND = frozenset(("qualified_identifier", "pointer_expression", "parenthesized_expression"))


class Keys(RuleKeys, frozen=True):
    wanted: Regex
    """Types other than a function's."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such name that is not called, where no type of a function is asked for."""
    wanted = rule.read(Keys).wanted
    for use in unit.of(rule.names) if unit.language != "c" else ():
        is_called = unit.code.code.startswith("(", skip(unit.code.code, use.span.end))
        if not is_called and _is_any(unit, use.span, wanted) and counts(unit, rule, use.span.start):
            unit.report(rule.id, use.span, use.name)


def _is_any(unit: Unit, name: Span, wanted: str) -> bool:
    """Whether any of several functions fits at a place."""
    node = unit.declarations.node_at(name)
    while node and node.parent and node.parent.type in _AROUND:
        node = node.parent
        if node.child_by_field_name("scope"):
            return False
    if node is None or node.parent is None:
        return False
    kind = wanted_of(unit.declarations, node)
    return node.parent.type == "decltype" or re.fullmatch(wanted, kind) is not None
