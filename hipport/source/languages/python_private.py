"""Which functions of a Python file are called only from code that does not run."""

from __future__ import annotations

import re
from collections.abc import Iterable

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.languages.python_syntax import Module, span_of, text_of

_PRIVATE = regex(r"_(?!_)\w+")
_ROUNDS = 3


def only_called_there(module: Module, dead: Iterable[Span]) -> list[Span]:
    """The private functions that nothing but such code names, and what only those call."""
    spans, found = list(dead), list[Span]()
    functions = [
        (text_of(each.child_by_field_name("name")), each)
        for each in module.nodes("definition")
        if each.type == "function_definition"
    ]
    private = [(name, each) for name, each in functions if _PRIVATE.fullmatch(name)]
    for _ in range(_ROUNDS if spans else 0):
        new = [
            span_of(each)
            for name, each in private
            if span_of(each) not in found and _is_named_only_in(spans, name, each, module)
        ]
        if not new:
            break
        found += new
        spans += new
    return found


def _is_named_only_in(
    spans: list[Span], name: str, function: tree_sitter.Node, module: Module
) -> bool:
    own = span_of(function)
    places = [each.start() for each in re.finditer(rf"\b{name}\b".encode(), module.data)]
    others = [each for each in places if not own.start <= each < own.end]
    return bool(others) and all(
        any(each.start <= place < each.end for each in spans) for place in others
    )
