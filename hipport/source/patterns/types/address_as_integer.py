"""Device addresses where an integer is wanted: CUDA's are integers, HIP's pointers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_types import name_in, variables_of
from hipport.source.names.values_of_type import is_value_of, value_named
from hipport.source.names.variables import span_of
from hipport.source.names.wanted_types import wanted_of, whole_uses
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit

if TYPE_CHECKING:
    from hipport.source.languages.cuda_syntax import Node

_FINDING = "HP-TYPE-300"


class Keys(RuleKeys, frozen=True):
    integers: Regex
    """The types of integers."""


class FixKeys(RuleKeys, frozen=True):
    opening: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each address whose place wants an integer, and that no cast makes one."""
    for value, wanted, _ in _addresses(unit, rule):
        span = span_of(value)
        if counts(unit, rule, span.start):
            symbol = " ".join(unit.code.slice(span).split())
            unit.report(rule.id, span, symbol, {"type": wanted, "name": symbol})


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Cast what is certainly an address."""
    opening = rule.read(FixKeys).opening
    for value, _, is_certain in list(_addresses(unit, unit.rules.findings[_FINDING])):
        if is_certain:
            span = span_of(value)
            edits = [(Span(span.start, span.start), opening)]
            rewrite(unit, "address-as-integer", edits, [span])


def _addresses(unit: Unit, rule: FindingRule) -> Iterator[tuple[Node, str, bool]]:
    """Each address in a place of an integer, its type, and whether all that is certain."""
    integers = re.compile(f"(?:const )?(?:std::)?{rule.read(Keys).integers}")
    found = variables_of(unit.declarations, (use.span for use in unit.of(rule.names)))
    for name in sorted(set(map(name_in, found))):
        for use in whole_uses(unit.code, name):
            if unit.code.directive_at(use.start):
                continue
            value = value_named(unit.declarations, use)
            if value is None or _is_converted(value, integers):
                continue
            wanted = wanted_of(unit.declarations, value)
            if not integers.fullmatch(wanted):
                continue
            is_address = is_value_of(unit.declarations, value, rule.names)
            if is_address is not False:
                yield value, wanted, bool(is_address)


def _is_converted(value: Node, integers: re.Pattern[str]) -> bool:
    """Whether a value is cast by what makes integers of pointers, too."""
    place = value.parent
    while place and place.type == "parenthesized_expression":
        place = place.parent
    if place is None or place.type != "argument_list":
        return place is not None and place.type == "cast_expression"
    function = place.parent.child_by_field_name("function") if place.parent else None
    text = (function.text or b"") if function else b""
    # `size_t(p)` is a cast; to the grammar some types are names of functions.
    is_type = function is not None and integers.fullmatch(text.decode("latin-1"))
    return bool(is_type) or text.startswith(b"reinterpret_cast")
