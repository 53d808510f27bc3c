"""Variables in constant memory that are templates."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.variables import is_template, variables_declared_by
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences


class Keys(RuleKeys, frozen=True):
    word: str
    """What declares a variable to be in constant memory."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such template."""
    word = rule.read(Keys).word
    for at in occurrences(unit.code.code, word):
        place = Span(at, at + len(word))
        declared = variables_declared_by(unit.declarations, place)
        if any(is_template(unit.declarations, each) for each in declared) and counts(
            unit, rule, at
        ):
            unit.report(rule.id, place, word)
