"""Vectors that are declared with one number as their value."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.variables import variables_declared_by
from hipport.source.source_file import Unit

_MAY_HAVE_NUMBER = r"(?=[^;{}]{0,400}?=\s*-?[.\d]+[fFuU]?\s*[,;])"
"""Few statements have such a value: only for these is the file parsed."""


class Keys(RuleKeys, frozen=True):
    types: Regex
    number: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such variable, from its type on if the declaration has no other."""
    keys = rule.read(Keys)
    for match in unit.code.finditer(rf"\b(?:{keys.types})\b{_MAY_HAVE_NUMBER}", re.NOFLAG):
        for found in variables_declared_by(unit.declarations, Span(*match.span())):
            value = unit.code.slice(found.value) if found.value else ""
            first = found.type_place if found.is_alone else found.name
            is_vector = re.fullmatch(keys.types, found.type) is not None
            if is_vector and re.fullmatch(keys.number, value) and counts(unit, rule, first.start):
                span = Span(first.start, found.value.end if found.value else first.end)
                unit.report(rule.id, span, unit.code.slice(span))
