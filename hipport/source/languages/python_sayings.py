"""Texts of Python that only say something: what errors, reports, and assertions name."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from hipport.model import Span
from hipport.rulebook.branch_words import PythonBranches
from hipport.source.languages.python_syntax import (
    Module,
    module_of,
    pairs_of,
    plain_text,
    span_of,
    text_of,
)

_GIVEN = ("argument_list", "lambda")
_COLLECTIONS = ("list", "set", "tuple")
_MAKING = ("frozenset", "set", "tuple", "list")
_LOOKED_UP = b"environ"
"""An `assert` that a variable is set asks for it."""


def said_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """The strings that do nothing, in order; what is given to a call in them is none of these."""
    module = module_of(data)
    saying = [*_statements(module), *_reports(module, words), *_ignored(module, words)]
    saying += [*_options(module, words), *_exported(module)]
    return sorted({span_of(text) for each in saying for text in _texts(each, words.searching)})


def excluded_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """The texts of lists of what is left out, by the names that the lists are given."""
    return sorted(
        span_of(text)
        for left, right in module_of(data).assignments
        if re.fullmatch(words.excluding, text_of(left).rpartition(".")[2])
        for collection in _collections(right)
        for text in collection.named_children
        if text.type == "string"
    )


def _collections(value: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The list, set, or tuple that a value is, or that `frozenset` and its like make it from."""
    if value.type == "call" and text_of(value.child_by_field_name("function")) in _MAKING:
        given = value.child_by_field_name("arguments")
        return [each for each in given.named_children if each.type in _COLLECTIONS] if given else []
    return [value] if value.type in _COLLECTIONS else []


def _statements(module: Module) -> Iterator[tree_sitter.Node]:
    """What an `assert` compares or says, and what an exception is raised with."""
    for each in module.nodes("said"):
        if each.type == "assert_statement":
            if _LOOKED_UP not in (each.text or b""):
                yield each
        elif each.named_children and each.named_children[0].type == "call":
            given = each.named_children[0].child_by_field_name("arguments")
            yield from given.named_children if given else ()


def _reports(module: Module, words: PythonBranches) -> Iterator[tree_sitter.Node]:
    """What exceptions are made with, reports of what a compiler said, and lines of a message."""
    for name, call in module.calls:
        given = call.child_by_field_name("arguments")
        is_said = _is_exception(name) or re.fullmatch(words.noting, name)
        if given and (is_said or _has_keyword(given, words.report)):
            yield from given.named_children


def _ignored(module: Module, words: PythonBranches) -> Iterator[tree_sitter.Node]:
    for name, call in module.calls:
        given = call.child_by_field_name("arguments")
        if given and re.fullmatch(words.ignoring, name):
            yield from (each for each in given.named_children if _is_named(each, words.ignored))


def _options(module: Module, words: PythonBranches) -> Iterator[tree_sitter.Node]:
    """What options of the program itself are called: the first texts of `add_argument`."""
    for name, call in module.calls:
        given = call.child_by_field_name("arguments")
        if given and re.fullmatch(words.option, name):
            yield from (each for each in given.named_children if each.type == "string")


def _exported(module: Module) -> Iterator[tree_sitter.Node]:
    """What a module says that it has: the names in `__all__`."""
    for left, right in module.assignments:
        if text_of(left) == "__all__":
            yield right


def noted_spans(data: bytes) -> list[Span]:
    """Tables of texts alone that another table has under a key which the file never reads."""
    return sorted(map(span_of, _noted(module_of(data))))


def _noted(module: Module) -> Iterator[tree_sitter.Node]:
    for each in module.nodes("dictionary"):
        pair, values = each.parent, [pair.named_children[-1] for _, pair in pairs_of(each)]
        above = pair.parent if pair else None
        is_inside = pair and pair.type == "pair" and above and above.type == "dictionary"
        if pair and is_inside and values and all(value.type == "string" for value in values):
            key = plain_text(pair.child_by_field_name("key"))
            quoted = rf"[\"']{re.escape(key)}[\"']".encode()
            if key and len(re.findall(quoted, module.data)) == 1:
                yield each


def _is_exception(name: str) -> bool:
    return re.fullmatch(r"(?:.*\.)?[A-Z]\w*(?:Error|Exception|Warning)", name) is not None


def _has_keyword(given: tree_sitter.Node, pattern: str) -> bool:
    return any(_is_named(each, pattern) for each in given.named_children)


def _is_named(argument: tree_sitter.Node, pattern: str) -> bool:
    return argument.type == "keyword_argument" and bool(
        re.fullmatch(pattern, text_of(argument.child_by_field_name("name")))
    )


def _texts(node: tree_sitter.Node, searching: str) -> Iterator[tree_sitter.Node]:
    """The strings of an expression, but not those that a call in it is given and may use."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == "string":
            yield each
        elif each.type not in _GIVEN or _is_searched_for(each, searching):
            waiting += each.named_children


def _is_searched_for(given: tree_sitter.Node, searching: str) -> bool:
    function = given.parent.child_by_field_name("function") if given.parent else None
    method = function.child_by_field_name("attribute") if function else None
    return given.type == "argument_list" and bool(re.fullmatch(searching, text_of(method)))
