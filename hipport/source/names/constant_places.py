"""Places where C++ accepts only a constant expression, according to the syntax tree."""

from __future__ import annotations

from functools import lru_cache

import tree_sitter

from hipport.model import Span
from hipport.source.names.declared_names import Declarations
from hipport.source.names.tree_path import TreePath

ASSERTION, BOUND, CONDITION, CONSTANT, LABEL, TEMPLATE, WIDTH = (
    "assertion", "bound", "condition", "constant", "label", "template", "width"
)  # fmt: skip
_BY_PARENT = {
    ("array_declarator", "size"): BOUND,
    ("abstract_array_declarator", "size"): BOUND,
    ("static_assert_declaration", "condition"): ASSERTION,
    ("enumerator", "value"): CONSTANT,
    ("case_statement", "value"): LABEL,
    ("bitfield_clause", ""): WIDTH,
    ("template_argument_list", ""): TEMPLATE,
}
_INITIALIZED = frozenset(("init_declarator", "field_declaration"))
_ENDS = frozenset(
    ("compound_statement", "lambda_expression", "new_declarator", "translation_unit", "ERROR")
)
_COMPARING = frozenset((b"&&", b"||", b"and", b"or", b"<", b">", b"<=", b">="))


def constant_place(declarations: Declarations, place: Span) -> str:
    """What requires a constant at a place, as one of the words above; "" where nothing does."""
    root = declarations.root_at(place.start)
    return _path_in(root).said_at(place) if root else ""


@lru_cache(maxsize=1)
def _path_in(root: tree_sitter.Node) -> TreePath[str]:
    return TreePath(root, "", _required)


def _required(parent: tree_sitter.Node, node: tree_sitter.Node, field: str, before: str) -> str:
    return "" if parent.type in _ENDS else _wanted_by(parent, node, field) or before


def _wanted_by(parent: tree_sitter.Node, node: tree_sitter.Node, field: str) -> str:
    found = _BY_PARENT.get((parent.type, field), "")
    if found == TEMPLATE and _is_comparison(node):
        return ""
    if parent.type == "condition_clause" and parent.parent:
        return CONDITION if _has(parent.parent, b"constexpr") else ""
    if parent.type in _INITIALIZED and field in ("value", "default_value"):
        declaration = parent.parent if parent.type == "init_declarator" else parent
        return CONSTANT if declaration and _has(declaration, b"constexpr") else ""
    return found


def _is_comparison(node: tree_sitter.Node) -> bool:
    """Whether what was parsed as an argument is really a part of `i < n && m > (k)`."""
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.text in _COMPARING


def _has(node: tree_sitter.Node, word: bytes) -> bool:
    return any(each.text == word for each in node.children)
