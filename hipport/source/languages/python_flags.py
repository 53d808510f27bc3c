"""What Python asks only to make a compiler's options for architectures of the answer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import tree_sitter

from hipport.model import Span
from hipport.rulebook.branch_words import PythonBranches
from hipport.source.languages.python_shown import (
    Given,
    joined_spans,
    places_of,
    printed_spans,
    values_read_inside,
)
from hipport.source.languages.python_syntax import (
    Module,
    function_around,
    module_of,
    plain_text,
    span_of,
    text_of,
)

_ADDING = ("append", "extend", "insert")
_SETTING = (".setdefault", ".putenv", "putenv")
_SEVERAL = ("pattern_list", "tuple_pattern")
_ROUNDS = 6


def flag_spans(data: bytes, words: PythonBranches, *, is_choosing: bool) -> list[Span]:
    """What becomes a part of such options, in order; if asked for, they and what chooses, too."""
    module = module_of(data)
    options = list(_options(module, words.flag))
    made = [*options, *_set(module, words.arch_variable)]
    if not made:
        return []
    giving = _giving(module, words)
    names = {name for several in giving.values() for each in several for name in each.names}
    places = places_of(data, names)
    made += printed_spans(data, words)
    for _ in range(_ROUNDS):
        joined = joined_spans(made)
        found = {*made, *values_read_inside(giving, places, joined)}
        if is_choosing:
            found.update(_conditions(module, giving, joined_spans(list(found))))
        if len(found) == len(set(made)):
            break
        made = list(found)
    return sorted(set(made).difference(() if is_choosing else options))


def _options(module: Module, flag: str) -> Iterator[Span]:
    """The texts that are such options, with what they are filled in with."""
    if not re.search(flag.encode(), module.data):
        return
    waiting = [module.root]
    while waiting:
        node = waiting.pop()
        if node.type == "string":
            if re.search(flag, plain_text(node)):
                yield span_of(_filled_in(node))
        else:
            waiting += node.named_children


def _filled_in(text: tree_sitter.Node) -> tree_sitter.Node:
    """A text with what it is joined with, or filled in with: `"-arch=sm_%s" % arch`."""
    above = text.parent
    while above and above.type in ("binary_operator", "concatenated_string", "attribute", "call"):
        if above.type == "call" and above.child_by_field_name("function") != text:
            break
        text, above = above, above.parent
    return text


def _set(module: Module, variable: str) -> Iterator[Span]:
    """What a variable for architectures is set to."""
    if not re.search(variable.encode(), module.data):
        return
    for each in module.nodes("assignment"):
        target, value = each.child_by_field_name("left"), each.child_by_field_name("right")
        if target and value and target.type == "subscript":
            key = plain_text(target.child_by_field_name("subscript"))
            if re.fullmatch(variable, key):
                yield span_of(value)
    for name, call in module.calls:
        given = call.child_by_field_name("arguments")
        if given and name.endswith(_SETTING) and given.named_children:
            first, *others = given.named_children
            if re.fullmatch(variable, plain_text(first)):
                yield from map(span_of, others)


def _giving(module: Module, words: PythonBranches) -> dict[Span, list[Given]]:
    """Function, or script -> what gives values to its names, loops and additions included."""
    is_script = any(re.fullmatch(words.ignoring, name) for name, _ in module.calls)
    found: dict[Span, list[Given]] = {}
    for names, node, value in _statements(module):
        around = function_around(node) or (module.root if is_script else None)
        several = names.named_children if names.type in _SEVERAL else [names]
        if around and all(each.type == "identifier" for each in several):
            written = tuple(each.text or b"" for each in several)
            giving = Given(written, span_of(names), span_of(value), node)
            found.setdefault(span_of(around), []).append(giving)
    return found


def _statements(
    module: Module,
) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node, tree_sitter.Node]]:
    """The names, the whole, and the value of each assignment, addition, and loop."""
    for kind in ("assignment", "addition", "loop"):
        for node in module.nodes(kind):
            target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
            if target and value:
                yield target, node, value
    for _, node in module.calls:
        function = node.child_by_field_name("function")
        given = node.child_by_field_name("arguments")
        if function and given and function.type == "attribute":
            owner = function.child_by_field_name("object")
            method = text_of(function.child_by_field_name("attribute"))
            if owner and method in _ADDING:
                yield owner, node, given


def _conditions(
    module: Module, giving: dict[Span, list[Given]], made: list[Span]
) -> Iterator[Span]:
    """The conditions that choose only among such options."""
    settled = {
        each.statement.id
        for several in giving.values()
        for each in several
        if _is_made(each.value, made) or _has_options_alone(each.statement, made)
    }
    for node in module.nodes("branch"):
        if node.type != "if_statement":
            continue
        clauses = [node, *node.children_by_field_name("alternative")]
        bodies = [
            each.child_by_field_name("consequence") or each.child_by_field_name("body")
            for each in clauses
        ]
        statements = [each for body in bodies if body for each in body.named_children]
        if statements and all(_is_settled(each, settled, made) for each in statements):
            found = (each.child_by_field_name("condition") for each in clauses)
            yield from (span_of(each) for each in found if each)


def _is_made(value: Span, made: list[Span]) -> bool:
    at = bisect_right(made, value.start, key=lambda each: each.start) - 1
    return at >= 0 and value.end <= made[at].end


def _is_settled(statement: tree_sitter.Node, settled: set[int], made: list[Span]) -> bool:
    """Whether a statement does no more than to add to such options, or to set them."""
    if statement.type in ("comment", "pass_statement"):
        return True
    if statement.type != "expression_statement":
        return False
    inner = statement.named_children[0]
    if inner.id in settled or _has_options_alone(inner, made):
        return True
    given = inner.child_by_field_name("arguments") if inner.type == "call" else None
    return given is not None and _is_made(span_of(given), made)


def _has_options_alone(statement: tree_sitter.Node, made: list[Span]) -> bool:
    """Whether what a statement adds, or sets a name or a variable to, is all such options."""
    value = statement.child_by_field_name("right") or statement.child_by_field_name("arguments")
    if value is None:
        return False
    items = [value]
    while any(each.type in ("list", "tuple", "argument_list") for each in items):
        parts = ([each] if each.type == "string" else each.named_children for each in items)
        items = [part for several in parts for part in several]
    texts = [each for each in items if each.type != "comment"]
    return bool(texts) and all(_is_option(each, made) for each in texts)


def _is_option(item: tree_sitter.Node, made: list[Span]) -> bool:
    return _is_made(span_of(item), made) or plain_text(item) in ("-gencode", "--generate-code")
