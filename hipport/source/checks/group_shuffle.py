"""Shuffles by cooperative groups of values that HIP's groups do not take."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.checks import counts
from hipport.source.checks.shuffle_type import declared_type
from hipport.source.device_code import device_bodies
from hipport.source.languages.cuda import parse_call
from hipport.source.rules import FindingRule
from hipport.source.unit import Unit

_ENDS = ";}"
_REACH = 4_000


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each shuffle of a variable that its function declares with one of the rule's types."""
    text = unit.code.code
    for body in device_bodies(unit):
        # The parameters stand before the body, behind what ends last before it.
        start = max(text.rfind(mark, 0, body.start) for mark in _ENDS) + 1
        for match in re.finditer(rule.data["members"], text[body.start : body.end]):
            at = Span(*(body.start + offset for offset in match.span("symbol")))
            call = parse_call(unit.code, at)
            if call is None or not call.arguments or not counts(unit, rule, at.start):
                continue
            value = text[slice(*call.arguments[0])]
            if not re.fullmatch(r"[A-Za-z_]\w*", value):
                continue
            near = text[max(body.start, at.start - _REACH) : at.start]
            declared = declared_type(text[start : body.start] + near, value)
            if re.fullmatch(rule.data["types"], declared):
                unit.report(rule.id, at, match["symbol"], {"type": declared, "value": value})
