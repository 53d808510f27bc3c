"""Shuffles of values that the runtime header's overloads do not take."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.declared_types import type_like
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    types: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each shuffle of a variable that is declared with one of the rule's types."""
    keys = rule.read(Keys)
    text = unit.code.code
    for use in unit.of(rule.names):
        call = parse_call(unit.code, use.span)
        index = 1 if use.name.endswith("_sync") else 0
        if call is None or len(call.arguments) <= index or not counts(unit, rule, use.span.start):
            continue
        span = call.arguments[index]
        value = text[span.start : span.end]
        if not re.fullmatch(r"[A-Za-z_]\w*", value):
            continue
        if declared := type_like(unit.declarations, value, span.start, keys.types):
            unit.report(rule.id, use.span, use.name, {"type": declared})
