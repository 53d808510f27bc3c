"""Commands that Python puts together as lists, by the program that each one starts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.languages.python_syntax import (
    Module,
    function_around,
    module_of,
    span_of,
    text_of,
)

_ADDING = ("append", "extend", "insert")
_DEEPEST = 3
_LONGEST = 400
_NAME = regex(r"(?<![\w.\"'])[A-Za-z_]\w*(?![\w\"'(])")
_Values = dict[tuple[int, str], list[tree_sitter.Node]]
"""What each name of a function, by where that begins, or of the module is given."""


def command_spans(data: bytes, program: str) -> list[Span]:
    """The lists that begin with such a program, in order, and what is added to them by name.

    `[str(path), "-v"]` after `path = find_assembler()` begins with what this finds.
    """
    module = module_of(data)
    values = _values(module)
    lists = [each for each in module.nodes("items") if _starts(each, values, program)]
    begun = {each.id for each in lists}
    names = {text_of(name) for name, value in module.assignments if value.id in begun}
    return sorted({*map(span_of, lists), *(_added(module, names) if names else ())})


def _values(module: Module) -> _Values:
    found: _Values = {}
    for name, value in module.assignments:
        found.setdefault((_around(value), text_of(name)), []).append(value)
    return found


def _around(node: tree_sitter.Node) -> int:
    """The function that a node is in, by where it begins; a module is none."""
    function = function_around(node)
    return function.start_byte if function else -1


def _starts(command: tree_sitter.Node, values: _Values, program: str) -> bool:
    """Whether the first item of a list is a program, or is made from one."""
    if command.type not in ("list", "tuple") or not command.named_children:
        return False
    texts = _made_from(command.named_children[0], values, 0)
    return any(re.fullmatch(program, each) for each in texts)


def _made_from(node: tree_sitter.Node, values: _Values, depth: int) -> Iterator[str]:
    """The expression, and the values of the names in it, which have one each where it is."""
    text = (node.text or b"")[:_LONGEST].decode("utf-8", "replace")
    yield text
    if depth < _DEEPEST:
        around = _around(node)
        for name in dict.fromkeys(_NAME.findall(text)):
            given = values.get((around, name)) or values.get((-1, name)) or []
            if len(given) == 1:
                yield from _made_from(given[0], values, depth + 1)


def _added(module: Module, names: set[str]) -> Iterator[Span]:
    """What these lists get more: `command.insert(1, "-v")`."""
    for _, call in module.calls:
        function = call.child_by_field_name("function")
        given = call.child_by_field_name("arguments")
        if function is None or given is None or function.type != "attribute":
            continue
        method = text_of(function.child_by_field_name("attribute"))
        if method in _ADDING and text_of(function.child_by_field_name("object")) in names:
            yield span_of(given)
