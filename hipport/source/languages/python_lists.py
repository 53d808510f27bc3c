"""What tree-sitter knows about Python: lists of texts that a name, or a key, is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import tree_sitter

from hipport.model import Span
from hipport.source.languages.python_syntax import LANGUAGE

_PARSER = tree_sitter.Parser(LANGUAGE)
_QUERY = tree_sitter.Query(
    LANGUAGE,
    """
    (list) @list
    (tuple) @list
    (call
      function: (attribute object: (_) attribute: (identifier) @method)
      arguments: (argument_list [(string) (conditional_expression)]) @list
      (#eq? @method "append"))
    """,
)
_NAMES = tree_sitter.Query(LANGUAGE, "(identifier) @name")
_EXTEND = "extend"
_CHOICE = "conditional_expression"


class Item(msgspec.Struct, frozen=True):
    """An element of a list. `text` is None where it is not a plain text; `inner` is it unquoted.

    `beginning` is the plain text that an element begins with, as in f"--threads={n}".
    """

    text: str | None
    span: Span
    inner: Span
    beginning: str = ""


class TextList(msgspec.Struct, frozen=True):
    """A list with the name that it is given to: a variable, or the key of a dictionary."""

    name: str
    items: tuple[Item, ...]
    is_argument: bool
    """Whether the element is what a function is given: it cannot go, nor become several."""


def text_lists(data: bytes) -> Iterator[TextList]:
    """Every list that is assigned, added or given under a key, in order.

    What an element is under a condition, and otherwise, are arguments of their own.
    """
    nodes = tree_sitter.QueryCursor(_QUERY).captures(_PARSER.parse(data).root_node)
    for node in sorted(nodes.get("list", ()), key=lambda each: each.start_byte):
        is_argument = node.type == "argument_list"
        name = _appended(node) if is_argument else _name(node)
        if name:
            elements = [each for each in node.named_children if each.type != "comment"]
            yield TextList(name, tuple(map(_item, elements)), is_argument)
            for each in elements:
                for chosen in each.named_children[::2] if each.type == _CHOICE else ():
                    yield TextList(name, (_item(chosen),), True)


def passed_names(data: bytes) -> Iterator[tuple[str, str]]:
    """Each variable or function whose value goes on to a name, and that name.

    In `"nvcc": flags + of_gpu()` the names are flags and of_gpu, which both go to nvcc; in
    `return flags`, flags goes to the function around it; in `flags[0]`, to `[]`.
    """
    nodes = tree_sitter.QueryCursor(_NAMES).captures(_PARSER.parse(data).root_node)
    for node in sorted(nodes.get("name", ()), key=lambda each: each.start_byte):
        value = _called(node)
        if value and value.parent and value.parent.type == "subscript" and _sets(value):
            # An element is read, which a shorter list may not have.
            yield _text(node), "[]"
            continue
        if value is None or (value.parent and value.parent.type in _SETTERS and _sets(value)):
            continue
        while value.parent and value.parent.type in ("list_splat", "list", "tuple"):
            value = value.parent
        if name := _name(value, _function_of):
            yield _text(node), name


_SETTERS = ("assignment", "augmented_assignment", "keyword_argument", "pair")


def _sets(node: tree_sitter.Node) -> bool:
    """Whether a node comes first: the name that is set, and not its value."""
    return node.parent is not None and node.parent.named_children[0] == node


def _called(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The call of a function by this name, or the name; None where it names something else."""
    parent = node.parent
    if parent is None or parent.type in ("attribute", "parameters", "function_definition"):
        return None
    if parent.type == "call" and parent.child_by_field_name("function") == node:
        return parent
    return node


def _function_of(node: tree_sitter.Node) -> str:
    """The name of the function around a node."""
    around = node.parent
    while around and around.type != "function_definition":
        around = around.parent
    return _plain(around.child_by_field_name("name")) if around else ""


def _named_first(node: tree_sitter.Node) -> str:
    """The first part of a sum; where it has no name, the function around it."""
    return _plain(_first(node)) or _function_of(node)


def _appended(node: tree_sitter.Node) -> str:
    """The list that `flags.append("-x")` adds to."""
    function = node.parent.child_by_field_name("function") if node.parent else None
    return _plain(function.child_by_field_name("object")) if function else ""


def _name(
    node: tree_sitter.Node, returned: Callable[[tree_sitter.Node], str] = _named_first
) -> str:
    """The name in `flags = [...]`, `flags += [...]`, `flags.extend([...])`, `"nvcc": [...]`.

    The list may be a part of a sum, one of two by a condition, or what a function is given:
    `"nvcc": with_threads([...])`. A sum that a function returns has the name of its first part:
    `return flags + [...]`; a list has the name of the function.
    """
    inside, parent = node, node.parent
    while parent and _passes_on(parent):
        inside, parent = parent, parent.parent
    if parent is None:
        return ""
    if parent.type == "return_statement":
        return returned(inside)
    if parent.type == "pair":
        return _plain(parent.child_by_field_name("key"))
    if parent.type in ("assignment", "augmented_assignment"):
        return _plain(parent.child_by_field_name("left"))
    if parent.type == "keyword_argument":
        return _plain(parent.child_by_field_name("name"))
    call = parent.parent if parent.type == "argument_list" else None
    function = call.child_by_field_name("function") if call else None
    if function is not None and function.type == "attribute":
        attribute = function.child_by_field_name("attribute")
        if attribute and _text(attribute) == _EXTEND:
            return _plain(function.child_by_field_name("object"))
    return ""


def _passes_on(node: tree_sitter.Node) -> bool:
    """Whether a list in this node is what it is about: in a sum, a choice, or a function's."""
    call = node.parent if node.type == "argument_list" else node
    if call and call.type == "call":
        function = call.child_by_field_name("function")
        return function is not None and function.type == "identifier"
    return node.type in ("binary_operator", "parenthesized_expression", _CHOICE)


def _first(node: tree_sitter.Node) -> tree_sitter.Node:
    while node.type == "binary_operator" and node.named_children:
        node = node.named_children[0]
    return node


def _plain(node: tree_sitter.Node | None) -> str:
    """A name, or the last key of a subscript, without quotes."""
    if node is None:
        return ""
    if node.type == "subscript":
        return _plain(node.child_by_field_name("subscript"))
    if node.type == "attribute":
        return _plain(node.child_by_field_name("attribute"))
    return _text(node).strip("\"'") if node.type in ("string", "identifier") else ""


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("latin-1")


def _item(node: tree_sitter.Node) -> Item:
    span = Span(node.start_byte, node.end_byte)
    kinds = [child.type for child in node.children]
    if node.type == "string" and kinds == ["string_start", "string_content", "string_end"]:
        content = node.children[1]
        is_plain = _text(node.children[0]) in ('"', "'") and not content.named_children
        inner = Span(content.start_byte, content.end_byte)
        return Item(_text(content) if is_plain else None, span, inner)
    return Item(None, span, span, _beginning(node))


def _beginning(node: tree_sitter.Node) -> str:
    first = _first(node)
    content = first.children[1:2] if first.type == "string" else []
    return _text(content[0]) if content and content[0].type == "string_content" else ""
