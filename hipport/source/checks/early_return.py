"""Threads that leave a kernel before a barrier that the others of their block wait at."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.checks import counts
from hipport.source.device_code import device_bodies
from hipport.source.rules import FindingRule
from hipport.source.unit import Unit


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each `if (…) return;` before a barrier whose condition depends on the thread."""
    text = unit.code.code
    for body in device_bodies(unit):
        last = text.rfind(rule.data["barrier"], body.start, body.end)
        if last < 0:
            continue
        inside = text[body.start : last]
        indices = {match["name"] for match in re.finditer(rule.data["assigned"], inside)}
        for match in re.finditer(rule.data["leaves"], inside):
            names = set(re.findall(r"\w+", match["condition"]))
            if names & (indices | set(rule.data["threads"])):
                start = body.start + match.start("symbol")
                if counts(unit, rule, start):
                    unit.report(rule.id, Span(start, start + len("return")), "return")
