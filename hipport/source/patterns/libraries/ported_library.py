"""An NVIDIA namespace that a port keeps, except for what the port lacks."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.qualified_names import is_namespace, qualified
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    has: Regex
    """What the library declares in its namespace; other names are the tree's own."""
    lacks: Regex
    lacking: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each line that uses the namespace: what the port has, and what it lacks."""
    keys = rule.read(Keys)
    reported: set[tuple[int, str]] = set()
    for use in unit.of(rule.names):
        if use.qualifier or use.is_pasted or not is_namespace(unit.code.code, use.span):
            continue
        if not counts(unit, rule, use.span.start):
            continue
        span = qualified(unit.code.code, use.span)
        symbol = unit.code.slice(span)
        words = "".join(symbol.split()).removeprefix("::")
        if not re.fullmatch(keys.has, words):
            continue
        code = keys.lacking if re.fullmatch(keys.lacks, words) else rule.id
        place = (unit.code.position(span.start).line, code)
        if place not in reported:
            reported.add(place)
            unit.report(code, span, symbol)
