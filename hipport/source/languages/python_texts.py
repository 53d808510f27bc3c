"""What tree-sitter knows about Python: which string literals an argument of a call is made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec
import tree_sitter

from hipport.model import Span
from hipport.source.languages.python_syntax import module_of

_SCOPES = ("function_definition", "lambda", "class_definition", "module")
_ELSEWHERE = ("global_statement", "nonlocal_statement")
_BINDING_LISTS = (
    *_ELSEWHERE,
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "list_splat_pattern",
    "dictionary_splat_pattern",
    "parameters",
    "lambda_parameters",
    "typed_parameter",
    "as_pattern_target",
    "delete_statement",
    "aliased_import",
)
_BINDING_FIELDS = {
    "assignment": "left",
    "augmented_assignment": "left",
    "for_statement": "left",
    "for_in_clause": "left",
    "named_expression": "name",
    "default_parameter": "name",
    "typed_default_parameter": "name",
    "function_definition": "name",
    "class_definition": "name",
}
_LITERALS = ("string", "concatenated_string")
_DEEPEST = 8


class Call(msgspec.Struct, frozen=True):
    """A call of a function by its full name, and where that is written."""

    function: str
    span: Span
    node: tree_sitter.Node

    def argument(self, place: int, name: str) -> tree_sitter.Node | None:
        """An argument, given by its place, counted from 0, or by its name; None if it is `None`."""
        given = self.node.child_by_field_name("arguments")
        found = [each for each in given.named_children if each.type != "comment"] if given else []
        plain = [each for each in found if each.type != "keyword_argument"]
        before = plain[: place + 1]
        node = _keywords(self.node).get(name)
        if node is None and len(before) > place:
            node = next((each for each in before if each.type.endswith("_splat")), before[place])
        return None if node is None or node.type == "none" else node


class Texts:
    """The string literals of a file, and what is certain to be made of them."""

    def __init__(
        self, data: bytes, same_functions: Collection[str], same_methods: Collection[str]
    ) -> None:
        self._module = module_of(data)
        self._same_functions = same_functions
        self._same_methods = same_methods
        self._names: dict[str, list[tree_sitter.Node]] | None = None

    def calls(self, functions: Collection[str]) -> Iterator[Call]:
        """The calls of functions by their full names, in order."""
        for name, node in self._module.calls:
            if name in functions:
                function = node.child_by_field_name("function") or node
                yield Call(name, Span(function.start_byte, function.end_byte), node)

    def literals_of(self, node: tree_sitter.Node, depth: int = 0) -> list[list[Span]]:
        """The literals that an expression is, joined ones in one list; none if it is not certain.

        Elements of a list are texts of their own. A name counts if it is given one value in its
        function, or in the module where the function gives it none.
        """
        if depth > _DEEPEST:
            return []
        if node.type == "string":
            return [[Span(node.start_byte, node.end_byte)]]
        if node.type == "concatenated_string":
            strings = (each for each in node.named_children if each.type == "string")
            return [[Span(each.start_byte, each.end_byte) for each in strings]]
        if node.type == "list":
            texts = [each for each in node.named_children if each.type != "comment"]
            found = [self.literals_of(each, depth + 1) for each in texts]
            return [text for each in found for text in each] if all(found) else []
        if node.type == "binary_operator":
            return self._sum(node, depth)
        inner = self._value_of(node)
        return self.literals_of(inner, depth + 1) if inner else []

    def _sum(self, node: tree_sitter.Node, depth: int) -> list[list[Span]]:
        """The literals of `a + b`, where both are texts."""
        operator = node.child_by_field_name("operator")
        sides = [node.child_by_field_name(side) for side in ("left", "right")]
        found = [self.literals_of(each, depth + 1) if each else [] for each in sides]
        if operator is None or operator.type != "+" or any(len(each) != 1 for each in found):
            return []
        return [[span for each in found for span in each[0]]]

    def value_of(self, node: tree_sitter.Node) -> tree_sitter.Node:
        """What an expression gives as it is: what a name was given, or itself."""
        for _ in range(_DEEPEST):
            inner = self._value_of(node)
            if inner is None:
                break
            node = inner
        return node

    def named(self, name: str) -> Iterator[list[Span]]:
        """The literals of each value that a name is given."""
        for each in self._occurrences(name):
            if each.parent and each.parent.type == "assignment" and _is_binding(each):
                value = each.parent.child_by_field_name("right")
                yield from self.literals_of(value) if value else []

    def literals_at(self, offsets: Iterable[int]) -> Iterator[list[Span]]:
        """The literals around ascending offsets, but those that are statements, as docstrings are.

        Joined ones are together; each comes once.
        """
        done = 0
        for at in offsets:
            node = self._module.root.descendant_for_byte_range(at, at) if at >= done else None
            outermost = None
            while node:
                outermost = node if node.type in _LITERALS else outermost
                node = node.parent
            if outermost:
                done = outermost.end_byte
                if outermost.parent and outermost.parent.type != "expression_statement":
                    yield self.literals_of(outermost)[0]

    def _value_of(self, node: tree_sitter.Node) -> tree_sitter.Node | None:
        """The expression that another gives as it is, at most without space around its text."""
        if node.type == "parenthesized_expression":
            return node.named_children[0] if node.named_child_count == 1 else None
        if node.type == "identifier":
            return self._only_value(node)
        function = node.child_by_field_name("function") if node.type == "call" else None
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return None
        if self._module.full_name(function) in self._same_functions:
            return arguments.named_children[0] if arguments.named_children else None
        method = function.child_by_field_name("attribute")
        if method and _text(method) in self._same_methods and not arguments.named_child_count:
            return function.child_by_field_name("object")
        return None

    def _only_value(self, use: tree_sitter.Node) -> tree_sitter.Node | None:
        """What the only assignment of a name gives it, where the name is used."""
        bindings = [each for each in self._occurrences(_text(use)) if _is_binding(each)]
        if any(each.parent and each.parent.type in _ELSEWHERE for each in bindings):
            return None
        scope: tree_sitter.Node | None = _scope(use)
        is_own = True
        while scope:
            here = [each for each in bindings if _scope(each) == scope]
            if here and (is_own or scope.type != "class_definition"):
                parent = here[0].parent
                if len(here) > 1 or parent is None or parent.type != "assignment":
                    return None
                return parent.child_by_field_name("right")
            scope, is_own = _scope(scope) if scope.parent else None, False
        return None

    def _occurrences(self, name: str) -> list[tree_sitter.Node]:
        if self._names is None:
            self._names = {}
            stack = [self._module.root]
            while stack:
                node = stack.pop()
                if node.type == "identifier":
                    self._names.setdefault(_text(node), []).append(node)
                stack += node.named_children
        return self._names.get(name, [])


def _keywords(call: tree_sitter.Node) -> dict[str, tree_sitter.Node]:
    arguments = call.child_by_field_name("arguments")
    found = {}
    for each in arguments.named_children if arguments else ():
        name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if each.type == "keyword_argument" and name and value:
            found[_text(name)] = value
    return found


def _is_binding(name: tree_sitter.Node) -> bool:
    """Whether a name is given a value where it is written, or may be."""
    parent = name.parent
    if parent is None:
        return False
    if parent.type in _BINDING_LISTS:
        return True
    if parent.type == "dotted_name":
        return parent.parent is not None and "import" in parent.parent.type
    field = _BINDING_FIELDS.get(parent.type)
    return field is not None and parent.child_by_field_name(field) == name


def _scope(node: tree_sitter.Node) -> tree_sitter.Node:
    """The function, class or module whose names a node can give values to."""
    parent = node.parent
    # The name of a function belongs to the scope outside.
    if parent and parent.type in _SCOPES and parent.child_by_field_name("name") == node:
        parent = parent.parent
    while parent and parent.type not in _SCOPES:
        parent = parent.parent
    return parent or node


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
