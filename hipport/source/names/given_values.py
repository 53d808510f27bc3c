"""The values that a file gives to a variable: where it declares it, and later."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec
import tree_sitter

from hipport.model import Span
from hipport.source.names.variables import variable, variables_named
from hipport.source.text.brackets import occurrences

if TYPE_CHECKING:
    from hipport.source.names.declared_names import Declarations

_PARTS = frozenset(("field_expression", "subscript_expression"))
_FIXED = frozenset(("const", "constexpr", "static"))


class Given(msgspec.Struct, frozen=True):
    """A place where a variable gets a value, or may get one."""

    offset: int
    value: Span | None
    """None where it is not certain which: a part is given, or its address."""


def values_given(declarations: Declarations, name: str) -> tuple[Span, ...]:
    """All values that the file gives to variables of a name, whole, in order."""
    return declarations.once(_values_given, name)


def _values_given(declarations: Declarations, name: str) -> tuple[Span, ...]:
    declared = [each.value for each in variables_named(declarations, name)]
    assigned = [each.value for each in _assigned(declarations, name)]
    return tuple(sorted(each for each in (*declared, *assigned) if each))


def last_given(declarations: Declarations, name: str, offset: int) -> Span | None:
    """What a variable used at an offset was given last before; None if that is not certain.

    Of parameters, and of variables that other functions or files may change, that is what the
    function itself gives them.
    """
    of_function, start = declarations.of_function_around(offset) or (declarations, 0)
    given = _given_in_function(of_function, name, offset - start)
    if given is not None:
        value = given.value
        return value and Span(start + value.start, start + value.end)
    found = variable(declarations, name, offset)
    is_fixed = found and not found.words.isdisjoint(_FIXED) and not found.member_of
    return found.value if found and is_fixed and not _assigned(declarations, name) else None


def _given_in_function(declarations: Declarations, name: str, offset: int) -> Given | None:
    """What the function around an offset itself gave a variable last; None if it gave nothing."""
    function = _function_at(declarations, offset)
    found = variable(declarations, name, offset)
    is_local = found is not None and function.start <= found.name.start < function.end
    start = found.name.end if found and is_local else function.start
    assigned = _assigned(declarations, name)
    before = bisect_left(assigned, offset, key=attrgetter("offset"))
    if before and assigned[before - 1].offset >= start:
        return assigned[before - 1]
    if found is None or not is_local:
        return None
    is_parameter = _is_parameter(declarations, found.name)
    return Given(found.name.start, None if is_parameter else found.value)


def _function_at(declarations: Declarations, offset: int) -> Span:
    node = declarations.node_at(Span(offset, offset))
    while node and node.parent and node.type != "function_definition":
        node = node.parent
    return Span(node.start_byte, node.end_byte) if node else Span(offset, offset)


def _is_parameter(declarations: Declarations, name: Span) -> bool:
    declared = declarations.declaration_at(name)
    return declared is not None and declared.type.endswith("parameter_declaration")


def _assigned(declarations: Declarations, name: str) -> tuple[Given, ...]:
    """Where the file gives variables of a name a value after their declaration, in order."""
    return declarations.once(_places_assigned, name)


def _places_assigned(declarations: Declarations, name: str) -> tuple[Given, ...]:
    nodes = (
        declarations.node_at(Span(at, at + len(name)))
        for at in occurrences(declarations.code.code, name)
    )
    given = (_given(node) for node in nodes if node and node.type == "identifier")
    return tuple(each for each in given if each)


def _given(name: tree_sitter.Node) -> Given | None:
    """What the expression around a variable's name gives it; None where it is only read."""
    node, is_whole = name, True
    while (place := node.parent) and place.type in _PARTS:
        if place.child_by_field_name("argument") != node:
            return None
        node, is_whole = place, False
    if place is None:
        return None
    if place.type == "assignment_expression" and place.child_by_field_name("left") == node:
        right = place.child_by_field_name("right")
        is_plain = is_whole and any(each.type == "=" for each in place.children)
        value = Span(right.start_byte, right.end_byte) if right and is_plain else None
        return Given(name.start_byte, value)
    operator = place.child_by_field_name("operator")
    is_address = place.type == "pointer_expression" and operator and operator.type == "&"
    return Given(name.start_byte, None) if is_address or place.type == "update_expression" else None
