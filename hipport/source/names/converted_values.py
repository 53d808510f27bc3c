"""Values that a cast, a variable, or an element of one converts to its type."""

from __future__ import annotations

from hipport.model import Span
from hipport.source.names.declared_names import Declarations
from hipport.source.names.number_types import text_of
from hipport.source.names.variables import span_of

_ELEMENTS = frozenset(("subscript_expression", "pointer_expression"))
_OUTSIDE = frozenset(("compound_statement", "expression_statement", "translation_unit"))


def value_cast(declarations: Declarations, kind: Span) -> Span | None:
    """What a cast in C's form to the type converts."""
    node = declarations.node_at(kind)
    while node and node.type != "cast_expression":
        node = node.parent if node.type not in _OUTSIDE else None
    value = node.child_by_field_name("value") if node else None
    return span_of(value) if value else None


def value_given_to(declarations: Declarations, name: Span) -> Span | None:
    """What a variable, or an element of it, is declared with or given where it has the name."""
    node = declarations.node_at(name)
    place = node.parent if node else None
    while place and place.type in _ELEMENTS and place.child_by_field_name("argument") == node:
        node, place = place, place.parent
    if place is None or node is None:
        return None
    if place.type == "init_declarator" and place.child_by_field_name("declarator") == node:
        value = place.child_by_field_name("value")
        return span_of(value) if value else None
    mark = place.child_by_field_name("operator")
    is_given = place.type == "assignment_expression" and (mark is None or text_of(mark) == "=")
    value = place.child_by_field_name("right") if is_given else None
    return span_of(value) if value and place.child_by_field_name("left") == node else None
