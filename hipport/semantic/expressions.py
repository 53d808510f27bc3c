"""Expressions and declarations, judged by what the compiler says that their names mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hipport.semantic.program import Source
from hipport.source.rewrites.lane_sets import FULL, SET, LaneSets, Value

if TYPE_CHECKING:
    import tree_sitter

    _Declared = tuple[tree_sitter.Node | None, list[tree_sitter.Node]]

_CALLEES = frozenset(("qualified_identifier", "template_function", "field_expression"))
_DECLARATIONS = frozenset(
    "declaration field_declaration parameter_declaration optional_parameter_declaration".split()
)
_DECLARATORS = frozenset(("init_declarator", "array_declarator"))
_INNER = {
    "field_expression": "field",
    "subscript_expression": "argument",
    "qualified_identifier": "name",
    "array_declarator": "declarator",
}


class KnownSets(LaneSets):
    """Judges the expressions of one file by what the compiler says that they name."""

    def __init__(
        self,
        source: Source,
        words: dict[str, Any],
        kinds: dict[str, str],
        parameters: Mapping[str, tuple[str, ...]],
        passing: Mapping[str, Mapping[int, Any]],
    ) -> None:
        super().__init__(source.code, words, kinds)
        self.source, self.parameters, self.passing = source, parameters, passing

    def key(self, node: tree_sitter.Node) -> str:
        if node.type == "call_expression":
            return self.source.named.get(name_of(node.child_by_field_name("function")), "")
        inner: tree_sitter.Node | None = node
        while inner is not None and inner.type in _INNER:
            inner = inner.child_by_field_name(_INNER[inner.type])
        is_name = inner is not None and inner.type in ("identifier", "field_identifier")
        return self.source.named.get(inner.start_byte, "") if inner and is_name else ""

    def parameter(self, call: tree_sitter.Node, index: int) -> str:
        """The key of a parameter of one of the user's functions; "" for any other."""
        name = name_of(call.child_by_field_name("function"))
        taken = self.parameters.get(self.source.named.get(name, ""), ())
        return taken[index] if index < len(taken) else ""

    def takes(self, call: tree_sitter.Node, index: int, value: Value) -> bool:
        if index in self.passing.get(self.callee(call), ()):
            return True
        kind = self.kinds.get(self.parameter(call, index))
        return kind is not None and (kind == FULL or value.kind == SET)

    def returns(self, statement: tree_sitter.Node, value: Value) -> bool:
        name = _function_name(statement)
        kind = self.kinds.get(self.source.named.get(name.start_byte, "")) if name else None
        return kind is not None and (kind == FULL or value.kind == SET)

    def given_as(self, argument: tree_sitter.Node, call: tree_sitter.Node) -> str:
        """The key of the parameter that takes an argument."""
        index = items_of(call).index(argument) if argument in items_of(call) else -1
        return self.parameter(call, index) if index >= 0 else ""


def items_of(call: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The arguments of a call."""
    arguments = call.child_by_field_name("arguments")
    found = arguments.named_children if arguments is not None else []
    return [each for each in found if each.type != "comment"]


def name_of(callee: tree_sitter.Node | None) -> int:
    """Where the name of a called function begins."""
    while callee is not None and callee.type in _CALLEES:
        inner = callee.child_by_field_name("field" if callee.type == "field_expression" else "name")
        callee = inner
    return callee.start_byte if callee is not None else -1


def callers_expression(name: tree_sitter.Node) -> tree_sitter.Node | None:
    """The call of the function that a name means; None if it is not called there."""
    node = name
    while node.parent is not None and node.parent.type in _CALLEES:
        node = node.parent
    call = node.parent
    is_call = call is not None and call.type == "call_expression"
    return call if is_call and call and call.child_by_field_name("function") == node else None


def _function_name(statement: tree_sitter.Node) -> tree_sitter.Node | None:
    """The name of the function that a statement returns from; None for a lambda."""
    node: tree_sitter.Node | None = statement
    while node is not None and node.type not in ("function_definition", "lambda_expression"):
        node = node.parent
    declarator = node.child_by_field_name("declarator") if node is not None else None
    if node is None or node.type == "lambda_expression" or declarator is None:
        return None
    name = declarator.child_by_field_name("declarator")
    while name is not None and name.type == "qualified_identifier":
        name = name.child_by_field_name("name")
    return name


def returned(name: tree_sitter.Node) -> _Declared:
    """The definition of a function at its name, and all that it returns."""
    definition = name.parent.parent if name.parent is not None else None
    if name.parent is None or definition is None or definition.type != "function_definition":
        return None, []
    if any(each.type == "trailing_return_type" for each in name.parent.children):
        return None, []
    values: list[tree_sitter.Node] = []
    pending = [definition]
    while pending:
        node = pending.pop()
        if node.type == "return_statement":
            values += node.named_children[:1]
        elif node.type != "lambda_expression":
            pending += node.named_children
    return (definition, values) if values else (None, [])


def declaration(name: tree_sitter.Node) -> _Declared:
    """The declaration of a variable at its name, and its initial value if it has one."""
    node, value = name, None
    while node.parent is not None and node.parent.type in _DECLARATORS:
        if node.parent.child_by_field_name("declarator") != node:
            return None, []
        node = node.parent
        value = value or node.child_by_field_name("value")
    found = node.parent
    if found is None or found.type not in _DECLARATIONS:
        return None, []
    default = found.child_by_field_name("default_value")
    if default is not None and len(found.children_by_field_name("declarator")) != 1:
        return None, []
    value = value or default
    return found, _values(value) if value is not None else []


def _values(value: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The values of an initialiser, or the one value that it is."""
    if value.type not in ("initializer_list", "argument_list"):
        return [value]
    return [each for each in value.named_children if each.type != "comment"]


def in_constructor(name: tree_sitter.Node) -> list[tree_sitter.Node] | None:
    """What a constructor initialises a member with, at the member's name; None elsewhere."""
    if name.parent is None or name.parent.type != "field_initializer":
        return None
    return _values(name.parent.named_children[-1])


def whole(name: tree_sitter.Node) -> tree_sitter.Node:
    """The expression that names a variable: with its object, its namespace and its subscripts."""
    node = name
    while (parent := node.parent) and parent.type in _INNER:
        if parent.child_by_field_name(_INNER[parent.type]) != node:
            break
        node = parent
    return node
