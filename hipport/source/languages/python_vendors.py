"""What Python runs only where a name is NVIDIA's, and what it gives to functions that take None."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from hipport.model import Span
from hipport.rulebook.branch_words import PythonBranches
from hipport.source.languages.python_syntax import (
    Module,
    is_said,
    module_of,
    plain_text,
    span_of,
    text_of,
)

_SAME = ("==", "in")


def vendor_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """What runs where a name is compared with NVIDIA's: `if device.vendor == "NVIDIA": …`."""
    found = []
    for node in module_of(data).nodes("branch"):
        if node.type == "conditional_expression":
            first, condition = node.named_children[:2]
            above = node.parent if node.parent and node.parent.type == "assignment" else first
            found += [Span(above.start_byte, first.end_byte)] * _is_theirs(condition, words)
        elif node.type == "if_statement":
            for each in (node, *node.children_by_field_name("alternative")):
                asked = each.child_by_field_name("condition")
                body = each.child_by_field_name("consequence")
                found += [span_of(body)] if asked and body and _is_theirs(asked, words) else []
    return sorted(found)


def _is_theirs(condition: tree_sitter.Node, words: PythonBranches) -> bool:
    """Whether a condition holds for a name of NVIDIA's alone."""
    if condition.type != "comparison_operator":
        return False
    operator = text_of(condition.child_by_field_name("operators"))
    texts = [plain_text(each) for each in condition.named_children if each.type == "string"]
    return operator in _SAME and any(re.fullmatch(words.theirs, each) for each in texts)


def given_spans(data: bytes) -> list[Span]:
    """The arguments for which a function of the file's own returns at once where they are None."""
    module = module_of(data)
    taking = dict(_taking_none(module))
    found = []
    for name, call in module.calls:
        given = call.child_by_field_name("arguments")
        places = taking.get(name, ())
        for number, each in enumerate(given.named_children if given and places else ()):
            if number in places:
                found.append(span_of(each))
    return sorted(found)


def _taking_none(module: Module) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The functions that return first of all if a parameter is None, and the places of these."""
    for each in module.nodes("definition"):
        parameters, body = (each.child_by_field_name(field) for field in ("parameters", "body"))
        if each.type != "function_definition" or not (parameters and body):
            continue
        names = [_name_of(parameter) for parameter in parameters.named_children]
        returning = next((child for child in body.named_children if not is_said(child)), None)
        refused = set(_refused(returning)) if returning else set()
        places = tuple(number for number, name in enumerate(names) if name in refused)
        if places:
            yield text_of(each.child_by_field_name("name")), places


def _name_of(parameter: tree_sitter.Node) -> str:
    """The name of a parameter, with or without a type or a default."""
    inner = parameter.child_by_field_name("name")
    if inner is None and parameter.type == "typed_parameter":
        inner = parameter.named_children[0]
    return text_of(inner or parameter)


def _refused(statement: tree_sitter.Node) -> Iterator[str]:
    """The names for which `if not name or …: return` leaves, where they are None."""
    condition = statement.child_by_field_name("condition")
    body = statement.child_by_field_name("consequence")
    if statement.type != "if_statement" or not (condition and body):
        return
    last = body.named_children[-1:]
    if last and last[0].type == "return_statement":
        yield from _none_in(condition)


def _none_in(condition: tree_sitter.Node) -> Iterator[str]:
    if condition.type == "parenthesized_expression":
        yield from _none_in(condition.named_children[0])
    elif condition.type == "boolean_operator":
        if text_of(condition.child_by_field_name("operator")) == "or":
            for each in condition.named_children:
                yield from _none_in(each)
    elif condition.type == "not_operator":
        yield text_of(condition.child_by_field_name("argument"))
    elif condition.type == "comparison_operator":
        is_none = text_of(condition.child_by_field_name("operators")) in ("is", "==")
        if is_none and condition.named_children[-1].type == "none":
            yield text_of(condition.named_children[0])
