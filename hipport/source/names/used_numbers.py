"""What becomes of a number that an expression gives."""

from __future__ import annotations

import tree_sitter

from hipport.source.names.declared_names import Declarations
from hipport.source.names.number_types import DOUBLE, spelled, text_of
from hipport.source.names.variables import variable

_SAME = ("parenthesized_expression", "unary_expression")


def is_used_in_double(declarations: Declarations, node: tree_sitter.Node) -> bool:
    """Whether a value is computed with, or kept, before it becomes a float."""
    above = node.parent
    while above and above.type in _SAME:
        node, above = above, above.parent
    if above is None:
        return False
    if above.type == "binary_expression":
        mark = above.child_by_field_name("operator")
        return mark is not None and text_of(mark) in ("+", "-", "*", "/")
    if above.type == "cast_expression":
        kind = above.child_by_field_name("type")
        return kind is not None and spelled(text_of(kind)) == DOUBLE
    if above.type == "init_declarator":
        declaration = above.parent
        kind = declaration.child_by_field_name("type") if declaration else None
        return kind is not None and spelled(text_of(kind)) == DOUBLE
    if above.type == "assignment_expression":
        left = above.child_by_field_name("left")
        found = left and left.type == "identifier"
        kept = variable(declarations, text_of(left), left.start_byte) if left and found else None
        return kept is not None and spelled(kept.type) == DOUBLE
    return False
