"""Names used as values whose HIP counterparts are overloaded: nothing says which one is meant."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip

_REACH = 80


class Keys(RuleKeys, frozen=True):
    before: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such name that is not called, where no type of a function is asked for."""
    keys = rule.read(Keys)
    text = unit.code.code
    if unit.language == "c":
        return
    for use in unit.of(rule.names):
        start, end = use.span
        before = text[max(0, start - _REACH) : start]
        is_called = text.startswith("(", skip(text, end))
        if not is_called and re.search(keys.before, before) and counts(unit, rule, start):
            unit.report(rule.id, use.span, use.name)
