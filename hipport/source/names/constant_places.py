"""Places where C++ accepts only a constant expression, according to the syntax tree."""

from __future__ import annotations

from functools import lru_cache

import tree_sitter

from hipport.model import Span
from hipport.source.names.declared_names import Declarations

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
    return _path_in(root).required_at(place) if root else ""


class _Path:
    """The nodes from a root to a place, each with what requires a constant there.

    From one place it goes on to the next one, which is near: a long expression is not gone through
    again for each of its parts.
    """

    def __init__(self, root: tree_sitter.Node) -> None:
        self._cursor = root.walk()
        self._required = [""]

    def required_at(self, place: Span) -> str:
        while len(self._required) > 1 and not _contains(self._cursor.node, place):
            self._cursor.goto_parent()
            self._required.pop()
        while self._is_entered(place):
            pass
        return self._required[-1]

    def _is_entered(self, place: Span) -> bool:
        parent = self._cursor.node
        if parent is None or self._cursor.goto_first_child_for_byte(place.start) is None:
            return False
        node = self._cursor.node
        if node is None or not _contains(node, place):
            self._cursor.goto_parent()
            return False
        required = ""
        if parent.type not in _ENDS:
            wanted = _wanted_by(parent, node, self._cursor.field_name or "")
            required = wanted or self._required[-1]
        self._required.append(required)
        return True


@lru_cache(maxsize=1)
def _path_in(root: tree_sitter.Node) -> _Path:
    return _Path(root)


def _contains(node: tree_sitter.Node | None, place: Span) -> bool:
    return node is not None and node.start_byte <= place.start and place.end <= node.end_byte


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
