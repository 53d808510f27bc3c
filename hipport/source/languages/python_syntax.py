"""What tree-sitter knows about Python: what a module imports, and what it calls by full name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter
import tree_sitter_python

from hipport.model import Span

_LANGUAGE = tree_sitter.Language(tree_sitter_python.language())
_PARSER = tree_sitter.Parser(_LANGUAGE)
_QUERY = tree_sitter.Query(
    _LANGUAGE,
    "(import_statement) @import (import_from_statement) @import (call) @call (assignment) @assign",
)
_last: tuple[bytes, tree_sitter.Tree] | None = None
"""The file that was parsed last, and its syntax tree."""


class Reference(NamedTuple):
    """A module imported or a function called.

    `name` is its full dotted name as far as the file's imports tell, calls in it written `()`;
    `written` is its spelling in the file, shortened to one line.
    """

    name: str
    written: str
    span: Span
    is_import: bool


def references(data: bytes) -> Iterator[Reference]:
    """Every import and every call of a module."""
    module = Module(data)
    yield from module.imports
    for name, node in module.calls():
        function = node.child_by_field_name("function")
        if function is not None:
            span = Span(function.start_byte, function.end_byte)
            yield Reference(name, _text(function), span, False)


class Module:
    """A file of Python: its syntax tree, what it imports, and the full names of what it calls."""

    def __init__(self, data: bytes) -> None:
        self.root = parsed(data).root_node
        nodes = [
            (kind, node)
            for kind, found in tree_sitter.QueryCursor(_QUERY).captures(self.root).items()
            for node in found
        ]
        nodes.sort(key=lambda each: each[1].start_byte)
        self._calls = [node for kind, node in nodes if kind == "call"]
        self._names: dict[str, str] = {}
        self.imports = [
            found
            for kind, node in nodes
            if kind == "import"
            for found in _imports(node, self._names)
        ]
        for kind, node in nodes:
            if kind == "assign":
                _remember_call(node, self._names)

    def full_name(self, node: tree_sitter.Node) -> str:
        """The dotted name of a function, or of what has it, as far as the imports tell."""
        return _full_name(node, self._names)

    def calls(self) -> Iterator[tuple[str, tree_sitter.Node]]:
        """Every call, after the full name of what is called."""
        for node in self._calls:
            function = node.child_by_field_name("function")
            if function is not None:
                yield self.full_name(function), node


def parsed(data: bytes) -> tree_sitter.Tree:
    """The syntax tree of a file; that of the last one is kept."""
    global _last
    if _last is None or _last[0] is not data:
        _last = (data, _PARSER.parse(data))
    return _last[1]


def fault_line(data: bytes) -> int:
    """The line where the file that was parsed last stops making sense, counted from 1.

    0 for sound Python, and for any other file: finding nothing in it took no parser.
    """
    if _last is None or _last[0] is not data or not _last[1].root_node.has_error:
        return 0
    node = _last[1].root_node
    while not (node.is_error or node.is_missing):
        node = next(each for each in node.children if each.has_error or each.is_missing)
    return int(node.start_point[0]) + 1


def _text(node: tree_sitter.Node | None) -> str:
    text = (node.text or b"").decode("utf-8", "replace") if node else ""
    if text.isidentifier():
        return text
    return re.sub(r"\([^()]*\)", "()", re.sub(r"\s+", " ", text))


def _imports(node: tree_sitter.Node, names: dict[str, str]) -> Iterator[Reference]:
    """The modules of an import statement; what it binds is added to `names`."""
    module = node.child_by_field_name("module_name")
    prefix = f"{_text(module)}." if module else ""
    for item in node.children_by_field_name("name"):
        if item.type == "aliased_import":
            full = prefix + _text(item.child_by_field_name("name"))
            names[_text(item.child_by_field_name("alias"))] = full
        else:
            full = prefix + _text(item)
            if module:
                names[_text(item)] = full
        if not module:
            yield Reference(full, full, Span(item.start_byte, item.end_byte), True)
    if module:
        span = Span(module.start_byte, module.end_byte)
        yield Reference(_text(module), _text(module), span, True)


def _remember_call(node: tree_sitter.Node, names: dict[str, str]) -> None:
    """`builder = FusedAdamBuilder()` makes `builder.load` known as FusedAdamBuilder().load."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left and right and left.type == "identifier" and right.type == "call":
        names.setdefault(_text(left), _full_name(right, names))


def _full_name(node: tree_sitter.Node, names: dict[str, str]) -> str:
    if node.type == "attribute":
        owner = node.child_by_field_name("object")
        attribute = _text(node.child_by_field_name("attribute"))
        return f"{_full_name(owner, names) if owner else ''}.{attribute}"
    if node.type == "call":
        function = node.child_by_field_name("function")
        return f"{_full_name(function, names) if function else ''}()"
    text = _text(node)
    return names.get(text, text)
