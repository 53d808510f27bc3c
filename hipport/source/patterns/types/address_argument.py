"""Integers, and sums, passed to functions whose parameter is an integer in CUDA alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_types import name_in, type_like, variables_of
from hipport.source.names.values_of_type import is_value_of
from hipport.source.names.variables import span_of, variable
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit

if TYPE_CHECKING:
    from hipport.source.languages.cuda_syntax import Node

_FINDING = "HP-TYPE-330"
_SUMS = frozenset("+-")
_OPERATORS = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
_NUMBERS = frozenset(("number_literal", "char_literal", "sizeof_expression"))
_NAMED = frozenset(("identifier", "field_expression", "subscript_expression"))
_PRIMARY = frozenset(("identifier", "field_expression", "number_literal", "call_expression"))
_ZERO = regex(r"0(?:[xX]?0+)?[uUlLzZ]*")
_ELEMENT = regex(r"front|back|at")
_INTEGER, _ADDRESS, _CAST = "integer", "address", "cast"


class Keys(RuleKeys, frozen=True):
    integers: Regex
    """The types of integers."""
    address: str
    """The type whose values are integers in CUDA."""
    containers: Regex
    """What has the type's values as its elements, up to the type."""
    places: tuple[str, ...]
    """Functions of `names` with the numbers of such parameters, where it is not the first alone."""


class FixKeys(RuleKeys, frozen=True):
    opening: str
    as_integer: str
    """What makes an integer of the address that a sum begins with."""


class _Argument(NamedTuple):
    function: str
    value: Node
    kind: str
    """What it certainly is; "" of a sum that HIP does not compile, whatever it is.

    Another finding is about a sum that begins with a cast to an address.
    """


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such argument."""
    for function, value, kind in _arguments(unit, rule):
        span = span_of(value)
        # For C, adding to a `void *` is an extension that counts in bytes.
        is_here = kind == _INTEGER or (kind != _CAST and unit.language != "c")
        if is_here and counts(unit, rule, span.start):
            symbol = " ".join(unit.code.slice(span).split())
            unit.report(rule.id, span, symbol, {"function": function})


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Cast what is certainly an integer; calculate in integers where all that is added is one."""
    keys = rule.read(FixKeys)
    for _, value, kind in list(_arguments(unit, unit.rules.findings[_FINDING])):
        span = span_of(value)
        start, end = Span(span.start, span.start), Span(span.end, span.end)
        brackets = ("", "") if kind == _INTEGER and value.type in _PRIMARY else ("(", ")")
        is_sum = kind in (_ADDRESS, _CAST)
        inner = keys.as_integer if is_sum else ""
        edits = [(start, keys.opening + brackets[0] + inner), (end, brackets[1])]
        if kind and not (is_sum and unit.language == "c"):
            rewrite(unit, "address-argument", [each for each in edits if each[1]], [span])


def _arguments(unit: Unit, rule: FindingRule) -> Iterator[_Argument]:
    keys = rule.read(Keys)
    places = {each.split()[0]: [int(n) for n in each.split()[1:]] for each in keys.places}
    values = _Values(unit, keys)
    for use in unit.of(rule.names):
        node = unit.declarations.node_at(use.span)
        call = node.parent if node else None
        listed = call.child_by_field_name("arguments") if call else None
        if node is None or listed is None or unit.code.directive_at(use.span.start):
            continue
        given = [each for each in listed.named_children if each.type != "comment"]
        for index in places.get(use.name, [0]):
            kind = values.passed(given[index]) if index < len(given) else None
            if kind is not None:
                yield _Argument(use.name, given[index], kind)


class _Values:
    """What expressions of a file are, by its declarations."""

    def __init__(self, unit: Unit, keys: Keys) -> None:
        self._unit = unit
        self._declarations = unit.declarations
        self._integers = f"(?:std::)?{keys.integers}"
        self._address = keys.address
        self._elements = re.compile(f"(?:{keys.containers}){keys.address}[ ,>].*")
        names = variables_of(unit.declarations, (use.span for use in unit.of([keys.address])))
        self._known = set(map(name_in, names))

    def passed(self, value: Node) -> str | None:
        """What is passed as an address, if HIP does not take it and no other finding is there."""
        inner = _without_brackets(value)
        if inner.type == "binary_expression":
            first, is_sum = inner, True
            while first.type == "binary_expression":
                is_sum = is_sum and _operator(first) in _SUMS
                if _operator(first) not in _OPERATORS:
                    return None
                first = _without_brackets(_side(first, "left"))
            kind = self._kind(inner)
            if first.type == "cast_expression" and kind == _ADDRESS and is_sum:
                return _CAST
            if self._is_known(first) or self._is_object(first):
                return None
            return "" if kind == _ADDRESS and not is_sum else kind
        is_zero = _ZERO.fullmatch(self._text(inner))
        return _INTEGER if not is_zero and self._kind(inner) == _INTEGER else None

    def _is_known(self, first: Node) -> bool:
        """Whether the finding about calculations with addresses has a sum that begins so."""
        if first.type == "cast_expression":
            return self._text(_side(first, "type")) == self._address
        if first.type == "pointer_expression":
            return self._text(_side(first, "argument")) in self._known
        if first.type == "identifier" and self._text(first) in self._known:
            return True
        if first.type not in _NAMED:
            return False
        return self._is_a(first, self._address) is not False

    def _is_object(self, first: Node) -> bool:
        """Whether a sum begins with a variable of another type: that may be a class with a `+`."""
        if first.type != "identifier":
            return False
        found = variable(self._declarations, self._text(first), first.start_byte)
        kind = found.type.removeprefix("const ") if found else "auto"
        return kind != "auto" and not re.fullmatch(self._integers, kind)

    def _kind(self, value: Node) -> str:
        value = _without_brackets(value)
        if value.type in _NUMBERS:
            return _INTEGER
        if value.type == "binary_expression":
            return self._kind_of_both(value)
        if value.type == "cast_expression":
            return self._kind_of_type(self._text(_side(value, "type")))
        if value.type == "call_expression":
            return self._kind_of_call(value)
        # A compiler knows both the address that a variable is declared as and the integer that is.
        is_integer = value.type in _NAMED and self._is_a(value, self._integers)
        if is_integer and not self._is_a(value, self._address):
            return _INTEGER
        is_element = value.type == "subscript_expression"
        return _ADDRESS if is_element and self._has_addresses(_side(value, "argument")) else ""

    def _kind_of_both(self, value: Node) -> str:
        kinds = [self._kind(_side(value, each)) for each in ("left", "right")]
        if _operator(value) not in _OPERATORS or kinds[1] != _INTEGER:
            return ""
        return kinds[0] if kinds[0] == _INTEGER or _operator(value) in _SUMS else ""

    def _kind_of_call(self, value: Node) -> str:
        function = _side(value, "function")
        if function.type == "template_function":
            listed = function.child_by_field_name("arguments")
            named = function.child_by_field_name("name")
            is_cast = named is not None and self._text(named).endswith("_cast")
            return (
                self._kind_of_type(self._text(listed)[1:-1].strip()) if is_cast and listed else ""
            )
        if function.type == "field_expression":
            is_element = _ELEMENT.fullmatch(self._text(_side(function, "field")))
            owner = _side(function, "argument")
            return _ADDRESS if is_element and self._has_addresses(owner) else ""
        return self._kind_of_type(self._text(function))

    def _kind_of_type(self, kind: str) -> str:
        if kind.strip() == self._address:
            return _ADDRESS
        return _INTEGER if re.fullmatch(self._integers, " ".join(kind.split())) else ""

    def _is_a(self, value: Node, kind: str) -> bool | None:
        return is_value_of(self._declarations, value, frozenset((kind,)))

    def _has_addresses(self, owner: Node) -> bool:
        if owner.type != "identifier":
            return False
        shape = self._elements.pattern
        return bool(type_like(self._declarations, self._text(owner), owner.start_byte, shape))

    def _text(self, node: Node) -> str:
        return self._unit.code.slice(span_of(node))


def _side(node: Node, field: str) -> Node:
    return node.child_by_field_name(field) or node


def _operator(node: Node) -> str:
    return (_side(node, "operator").text or b"").decode("latin-1")


def _without_brackets(node: Node) -> Node:
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node
