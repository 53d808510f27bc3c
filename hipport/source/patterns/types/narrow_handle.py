"""Memory for a handle that is an integer of 32 bits in CUDA and a pointer in HIP.

A cast hides that the library writes 64 bits there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_types import type_like
from hipport.source.names.values_of_type import is_value_of, value_named
from hipport.source.source_file import Unit

_PLACE = regex(
    r"\s*\(?\s*(?P<address>&)?\s*(?:\w+\s*(?:\.|->)\s*)*(?P<name>[A-Za-z_]\w*)\s*"
    r"(?P<index>\[[^\[\]]*\])?\s*[,;)]"
)
_CONTAINER = r"(?:std::)?(?:vector|array|unique_ptr|span)<\s*(?:{types})\b.*"


class Keys(RuleKeys, frozen=True):
    integers: Regex
    """The types of 32 bits."""
    functions: Regex
    """Functions that write such a handle to where their first argument points."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each cast of the address of such an integer, and each that is passed as it is."""
    keys = rule.read(Keys)
    for place, whole in _places(unit, rule, keys):
        if unit.code.directive_at(whole.start) or not counts(unit, rule, whole.start):
            continue
        if _is_narrow(unit, keys, place):
            symbol = " ".join(unit.code.slice(whole).split())
            unit.report(rule.id, whole, symbol)


def _places(unit: Unit, rule: FindingRule, keys: Keys) -> Iterator[tuple[re.Match[str], Span]]:
    """What is cast to a pointer to the handle, or passed for one, and the whole of it."""
    types = "|".join(sorted(each for each in rule.names if not re.match(keys.functions, each)))
    cast = rf"\(\s*(?:{types})\s*\*\s*\)|\breinterpret_cast\s*<\s*(?:{types})\s*\*\s*>"
    for match in unit.code.finditer(rf"(?:{cast})", re.NOFLAG):
        if place := _PLACE.match(unit.code.code, match.end()):
            yield place, Span(match.start(), place.end("name"))
    for match in unit.code.finditer(rf"\b(?:{keys.functions})\s*\((?=\s*&)", re.NOFLAG):
        if place := _PLACE.match(unit.code.code, match.end()):
            yield place, Span(match.start(), place.end("name"))


def _is_narrow(unit: Unit, keys: Keys, place: re.Match[str]) -> bool:
    """Whether the integers are there, by the declaration of the variable or the member."""
    name, at = place["name"], place.start("name")
    depth = r"(?:\*|\[\])"
    marks = "" if place["address"] and not place["index"] else depth
    shapes = rf"(?:const )?(?:{keys.integers}){marks}"
    if place["index"]:
        shapes += "|" + _CONTAINER.format(types=keys.integers)
    if type_like(unit.declarations, name, at, shapes):
        return True
    value = value_named(unit.declarations, Span(at, at + len(name)))
    is_member = value is not None and value.type == "field_expression"
    integers = frozenset((keys.integers,))
    return bool(value and is_member and is_value_of(unit.declarations, value, integers))
