"""Whether an expression is a value of one of a few types: a variable, a member, an element."""

from __future__ import annotations

import re

import tree_sitter

from hipport.model import Span
from hipport.source.names.declared_names import Declarations
from hipport.source.names.declared_types import is_always, type_like
from hipport.source.names.variables import span_of, variable, variables_named

_UNKNOWN = ("", "auto")


def value_named(declarations: Declarations, name: Span) -> tree_sitter.Node | None:
    """The expression that a name ends: `b->size` of `size`, `v[i]` of `v`, the name itself."""
    node = declarations.node_at(name)
    if node is None or node.start_byte != name.start:
        return None
    parent = node.parent
    if parent and parent.type == "field_expression":
        node = parent if parent.child_by_field_name("field") == node else None
    parent = node.parent if node else None
    if node and parent and parent.type == "subscript_expression":
        return parent if parent.child_by_field_name("argument") == node else node
    return node


def is_value_of(
    declarations: Declarations, value: tree_sitter.Node, types: frozenset[str]
) -> bool | None:
    """Whether a value has one of the types; None where only the names in the file say so."""
    depth, kinds = "", "|".join(sorted(types))
    while value.type == "subscript_expression":
        inner = value.child_by_field_name("argument")
        if inner is None:
            return False
        value, depth = inner, depth + r"(?:\*|\[\])"
    shape = f"(?:const )?(?:{kinds}){depth}"
    name = declarations.code.slice(span_of(value))
    if value.type == "identifier":
        return bool(type_like(declarations, name, value.start_byte, shape))
    field, owner = value.child_by_field_name("field"), value.child_by_field_name("argument")
    if value.type != "field_expression" or field is None or owner is None:
        return False
    word = declarations.code.slice(span_of(field))
    members = [each for each in variables_named(declarations, word) if each.member_of]
    of_owner = _class_of(declarations, owner)
    if of_owner in _UNKNOWN:
        return None if members and is_always(declarations, word, shape) else False
    found = [each for each in members if each.member_of == of_owner]
    return bool(found) and all(re.fullmatch(shape, each.type) for each in found)


def _class_of(declarations: Declarations, owner: tree_sitter.Node) -> str:
    """The class of an object or of what a pointer points to; "" where the file does not say."""
    if owner.type != "identifier":
        return ""
    name = declarations.code.slice(span_of(owner))
    found = variable(declarations, name, owner.start_byte)
    kind = found.type.removeprefix("const ").rstrip("*[]").strip() if found else ""
    return kind.rpartition(" ")[2]
