"""Calls that differ by the type of what their first argument points to."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.operands import expression_at
from hipport.source.names.declared_types import is_declared_with, type_like
from hipport.source.patterns.pattern_matches import pattern_matches
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip

_VARIABLE = re.compile(r"\(*\s*&?\s*\(*\s*(?P<name>[A-Za-z_]\w*)\s*(?=[\[+)-]|\Z)")


class Keys(RuleKeys, frozen=True):
    functions: tuple[str, ...]
    types: Regex
    """The type of the variable that is pointed to, with its `*` or `[]`."""
    memory: str = ""
    """A word, such as `__shared__`: what is declared with it and `types_there` does not count."""
    types_there: Regex = Regex("")


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each call with such an argument, and each that a pattern of the rule matches."""
    keys = rule.read(Keys)
    text = unit.code.code
    found = set(pattern_matches(unit, rule))
    for name in keys.functions:
        for call in re.finditer(rf"(?<![\w.>])(?P<symbol>{name})\s*\(", text):
            argument = expression_at(text, call.end(), len(text))
            match = _VARIABLE.match(text, skip(text, argument.start), argument.end)
            if match is None:
                continue
            variable, at = match["name"], match.start("name")
            if keys.memory in unit.code.words and _is_there(unit, keys, variable, at):
                found.discard(Span(*call.span("symbol")))
            elif type_like(unit.declarations, variable, at, keys.types):
                found.add(Span(*call.span("symbol")))
    for span in sorted(found):
        if counts(unit, rule, span.start):
            unit.report(rule.id, span, unit.code.slice(span))


def _is_there(unit: Unit, keys: Keys, name: str, at: int) -> bool:
    return is_declared_with(unit.declarations, name, at, keys.memory) and bool(
        type_like(unit.declarations, name, at, keys.types_there)
    )
