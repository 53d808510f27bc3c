"""Constants of 32 bits that are masks of all lanes, by their names or by what takes them."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.constants import definitions_in_file
from hipport.source.patterns.pattern_matches import pattern_matches
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    constant: Regex
    """The name of one that is taken for such a mask wherever it is."""
    used: Regex
    """A call that takes the constant `name` for a mask."""
    value: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each macro, constant or enumerator of such a value."""
    has_device_code = unit.code.has(unit.rules.device_code.function_keywords)
    if not has_device_code and re.search(unit.rules.file_kinds.cpu_paths, unit.path):
        return
    keys = rule.read(Keys)
    named = filter(re.compile(keys.constant).fullmatch, unit.code.vocabulary.split())
    used = (match["name"] for match in unit.code.finditer(keys.used))
    for span in pattern_matches(unit, rule):
        if counts(unit, rule, span.start):
            unit.report(rule.id, span, unit.code.slice(span))
    for name in dict.fromkeys((*named, *used)):
        for each in definitions_in_file(unit.code, name):
            start = unit.code.code.find(name, each.offset)
            if re.match(keys.value, each.text) and counts(unit, rule, start):
                unit.report(rule.id, Span(start, start + len(name)), name)
