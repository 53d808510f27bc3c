"""Variables in constant memory that are templates, or that each lane reads at another element."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.variables import Variable, is_template, variable, variables_declared_by
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences


class Keys(RuleKeys, frozen=True):
    word: str
    """What declares a variable to be in constant memory."""
    by_lane: Regex
    """The beginning of an index that differs between lanes."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such template, and the first such read of every other array."""
    word = rule.read(Keys).word
    for at in occurrences(unit.code.code, word):
        place = Span(at, at + len(word))
        for declared in variables_declared_by(unit.declarations, place):
            found: Span | None = place
            if not is_template(unit.declarations, declared):
                found = _read_by_lane(unit, rule, declared) if declared.bounds else None
            if found and counts(unit, rule, found.start):
                unit.report(rule.id, found, unit.code.slice(found))


def _read_by_lane(unit: Unit, rule: FindingRule, declared: Variable) -> Span | None:
    shape = re.compile(rule.read(Keys).by_lane)
    text = unit.code.code
    name = text[slice(*declared.name)]
    for at in occurrences(text, name, declared.name.end):
        match = shape.match(text, at + len(name))
        if match and variable(unit.declarations, name, at) == declared:
            return Span(at, match.end())
    return None
