"""What receives the value of a call: the variable that it initializes, or an element."""

from __future__ import annotations

import msgspec
import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.names.declared_names import Declarations
from hipport.source.names.variables import (
    Variable,
    span_of,
    variable,
    variable_at,
    variables_named,
)

_PASSING = frozenset("parenthesized_expression cast_expression argument_list".split())
# Operators on bits, but for shifts.
_OPERATORS = frozenset("& | ^ ~".split())
_CASTS = regex(rb"(?:static|reinterpret)_cast\b")


class Receiver(msgspec.Struct, frozen=True):
    variable: Variable
    element: Span | None
    """The element of it that is assigned to; None where the variable is initialized."""


def receiver(declarations: Declarations, callee: Span) -> Receiver | None:
    """What receives a call's value, cast or made of its bits; None for all other uses."""
    node = declarations.node_at(callee)
    node = _whole(node) if node else None
    outer = node.parent if node else None
    if node is None or outer is None:
        return None
    if outer.type == "assignment_expression":
        left = outer.child_by_field_name("left")
        return _element(declarations, left) if left and left != node else None
    while outer and outer.type in ("init_declarator", "declaration"):
        node, outer = outer, outer.parent
    name = node.child_by_field_name("declarator")
    while name and (inner := name.child_by_field_name("declarator")):
        name = inner
    found = variable_at(declarations, Span(name.start_byte, name.end_byte)) if name else None
    return Receiver(found, None) if found and found.value else None


def assigned(declarations: Declarations, callee: Span) -> tuple[Span, str] | None:
    """The variable or member that is assigned a call's value, as a whole, and its type."""
    node = declarations.node_at(callee)
    node = _whole(node) if node else None
    outer = node.parent if node else None
    if node is None or outer is None or outer.type != "assignment_expression":
        return None
    left = outer.child_by_field_name("left")
    name = left.child_by_field_name("field") if left and left.type == "field_expression" else left
    if left is None or left == node or name is None or not name.type.endswith("identifier"):
        return None
    place, word = Span(left.start_byte, left.end_byte), declarations.code.slice(span_of(name))
    if name == left:
        found = variable(declarations, word, name.start_byte)
        return (place, found.type) if found else None
    types = {each.type for each in variables_named(declarations, word) if each.member_of}
    return (place, types.pop()) if len(types) == 1 else None


def _whole(node: tree_sitter.Node) -> tree_sitter.Node:
    """The expression around a callee whose value is the call's, or made of its bits."""
    while outer := node.parent:
        function = outer.child_by_field_name("function")
        if outer.type == "call_expression" and function != node:
            if not _CASTS.match((function and function.text) or b""):
                break
        elif outer.type in ("binary_expression", "unary_expression"):
            operator = outer.child_by_field_name("operator")
            if operator is None or operator.type not in _OPERATORS:
                break
        elif outer.type not in ("call_expression", "field_expression", *_PASSING):
            break
        node = outer
    return node


def _element(declarations: Declarations, left: tree_sitter.Node) -> Receiver | None:
    array: tree_sitter.Node | None = left
    while array and array.type == "subscript_expression":
        array = array.child_by_field_name("argument")
    if array is None or array == left or array.type != "identifier":
        return None
    name = declarations.code.slice(Span(array.start_byte, array.end_byte))
    found = variable(declarations, name, array.start_byte)
    return Receiver(found, Span(left.start_byte, left.end_byte)) if found else None
