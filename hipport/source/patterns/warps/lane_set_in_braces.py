"""Sets of lanes in braces, which do not convert them to 32 bits."""

from __future__ import annotations

import re

import tree_sitter

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.wanted_types import uses_of, wanted_of
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    wide: Regex
    """Types that keep all 64 bits."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each call in the braces of a variable, unless what it initialises keeps 64 bits."""
    wide = rule.read(Keys).wide
    for name in sorted(unit.code.words.intersection(rule.names)):
        for span, node in uses_of(unit.declarations, name):
            call = node.parent
            if call is None or call.type != "call_expression" or not _is_in_braces(call):
                continue
            kind = wanted_of(unit.declarations, call)
            if not re.fullmatch(wide, kind) and counts(unit, rule, span.start):
                unit.report(rule.id, span, unit.code.slice(span))


def _is_in_braces(call: tree_sitter.Node) -> bool:
    """Whether a call is by itself in the braces that initialise a variable."""
    node = call.parent
    while node and node.type == "initializer_list" and node.parent:
        if node.parent.type == "init_declarator":
            return True
        node = node.parent
    return False
