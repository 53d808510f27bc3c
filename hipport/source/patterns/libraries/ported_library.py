"""A namespace of NVIDIA's that a port keeps: it stays, but for what the port lacks."""

from __future__ import annotations

import re

from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.run_checks import counts, is_namespace, qualified
from hipport.source.source_file import Unit


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each line that uses the namespace: what the port has, and what it lacks."""
    lacks = re.compile(rule.data["lacks"])
    reported: set[tuple[int, str]] = set()
    for use in unit.of(rule.names):
        if use.qualifier or use.is_pasted or not is_namespace(unit, use.span):
            continue
        if not counts(unit, rule, use.span.start):
            continue
        span = qualified(unit.code.code, use.span)
        symbol = unit.code.slice(span)
        words = "".join(symbol.split()).removeprefix("::")
        code = rule.data["lacking"] if lacks.fullmatch(words) else rule.id
        place = (unit.code.position(span.start).line, code)
        if place not in reported:
            reported.add(place)
            unit.report(code, span, symbol)
