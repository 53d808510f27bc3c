"""Powers of floats with whole exponents, which CUDA computes in double and HIP in float."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import functions
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.declared_functions import functions_named
from hipport.source.names.number_types import FLOAT, INT, NumberTypes
from hipport.source.names.used_numbers import is_used_in_double
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences
from hipport.source.warps.ported_warps import is_hip

_OWNER = regex(r"(?:\breturn\b|(\w*))\s*(::|\.|->)\s*\Z")
_NEAR = 60
_DIRECT = ("identifier", "call_expression", "qualified_identifier")


class Keys(RuleKeys, frozen=True):
    function: str
    namespace: str
    same: Regex
    """Functions that return a number of the type of those that they take."""
    of_floats: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each of them with which something is computed before it is a float again."""
    keys = rule.read(Keys)
    if unit.language != "cuda" or unit.is_embedded or is_hip(unit.code, unit.rules):
        return
    calls = [*_calls(unit, keys)]
    if not calls or functions_named(unit.declarations, keys.function):
        return
    grid = frozenset(unit.rules.device_code.variables)
    types = NumberTypes(unit.declarations, grid, keys.same, keys.of_floats)
    for span, call in calls:
        nodes = map(unit.declarations.node_at, call)
        if [types.of(each) for each in nodes] != [FLOAT, INT] or not counts(unit, rule, span.start):
            continue
        node = unit.declarations.node_at(span)
        while node and node.type in _DIRECT and node.type != "call_expression":
            node = node.parent
        if node and is_used_in_double(unit.declarations, node):
            unit.report(rule.id, span, unit.code.slice(span))


def _calls(unit: Unit, keys: Keys) -> Iterator[tuple[Span, list[Span]]]:
    """Each call of the function in device code, and its two arguments."""
    text = unit.code.code
    for body in (each.body for each in functions(unit.code, unit.rules)):
        for at in occurrences(text, keys.function, *body):
            owner = _OWNER.search(text, max(body.start, at - _NEAR), at)
            is_others = owner and (
                owner[2] != "::" or (owner[1] or keys.namespace) != keys.namespace
            )
            if unit.code.directive_at(at) or is_others:
                continue
            span = Span(at, at + len(keys.function))
            call = parse_call(unit.code, span)
            if call and len(call.arguments) == 2:
                yield span, call.arguments
