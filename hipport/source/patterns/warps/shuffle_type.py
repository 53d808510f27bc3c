"""Shuffles of values that the runtime header's overloads do not take."""

from __future__ import annotations

import re

from hipport.rulebook.rules import FindingRule
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.patterns.run_checks import counts
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip, skip_back
from hipport.source.text.source_text import IDENTIFIER_PARTS

_REACH = 4_000
_BEHIND_DECLARED = frozenset("=;,){[")


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each shuffle of a variable that was last declared with one of the rule's types."""
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
        before = text[max(0, use.span.start - _REACH) : use.span.start]
        declared = declared_type(before, value)
        if re.fullmatch(rule.data["types"], declared):
            unit.report(rule.id, use.span, use.name, {"type": declared})


def declared_type(before: str, name: str) -> str:
    """The type of the last declaration of a variable in a text; "" if there is none."""
    declared = ""
    for at in occurrences(before, name):
        behind = skip(before, at + len(name))
        if before[behind : behind + 1] in _BEHIND_DECLARED:
            declared = _type_before(before, at) or declared
    return declared


def _type_before(text: str, at: int) -> str:
    """The type that ends before a declared name, the last word of it; "" if there is none."""
    end = skip_back(text, at)
    if end == at:
        return ""
    end = skip_back(text, end - 1) if text[end - 1 : end] == "&" else end
    start = end
    while start and (text[start - 1] in IDENTIFIER_PARTS or text[start - 1] == ":"):
        start -= 1
    return text[start:end].lstrip(":")
