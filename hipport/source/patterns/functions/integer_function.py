"""Functions of integers whose names CUDA gives to functions of half precision, too."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.number_types import INT, UNSIGNED, NumberTypes, promoted
from hipport.source.names.uses import Use
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.warps.ported_warps import is_hip

_FINDING = "HP-MATH-450"
_INTEGERS = frozenset((INT, UNSIGNED, "long", "unsigned long", "long long", "unsigned long long"))


class Keys(RuleKeys, frozen=True):
    same: str
    """Functions that return a number of the type of those that they take."""
    floats: str
    """Functions of floats."""
    other: Regex
    """What types are called that the names are for, too."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the calls with integers."""
    for use in _of_integers(unit, rule):
        unit.report(rule.id, use.span, use.name)


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Call the helper in place of HIP's function."""
    words = unit.rules.device_functions
    for use in _of_integers(unit, unit.rules.findings[_FINDING]) if unit.options.helpers else ():
        new = words.of_integers[use.name]
        if rewrite(unit, "integer-function", [(use.span, new)], [use.span]):
            unit.helpers.add(words.header)


def _of_integers(unit: Unit, rule: FindingRule) -> Iterator[Use]:
    """Calls that can be of integers alone."""
    if unit.language != "cuda" or is_hip(unit.code, unit.rules):
        return
    plain = [each for each in unit.of(rule.names) if not each.qualifier and not each.is_pasted]
    if not plain:
        return
    keys, grid = rule.read(Keys), frozenset(unit.rules.device_code.variables)
    has_others = bool(unit.code.matches(keys.other))
    types = NumberTypes(unit.declarations, grid, keys.same, keys.floats)
    for use in plain:
        call = parse_call(unit.code, use.span)
        if call is None or unit.code.directive_at(use.span.start):
            continue
        nodes = map(unit.declarations.node_at, call.arguments)
        are_integers = [promoted(types.of(each)) in _INTEGERS for each in nodes]
        # What a file that names no half leaves open beside an integer is another one.
        if all(are_integers) or (any(are_integers) and not has_others):
            yield use
