"""Look-ups that Python does without: functions that may fail, with a default in every call."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.branch_words import PythonBranches
from hipport.source.languages.python_shown import shown_spans
from hipport.source.languages.python_syntax import (
    NO_PROGRAM,
    Import,
    Module,
    goes_on,
    module_of,
    span_of,
    text_of,
)

_WORD = regex(rb"^[ \t]*#[^\n]*|[A-Za-z_]\w*", re.MULTILINE)


def spared_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """Functions whose failure has a default in every call, these calls, and idle imports.

    Those are of the toolkit's folder: nothing reads it, only such functions do, or people are shown
    it.
    """
    module = module_of(data)
    spared = _outermost(_with_defaults(module))
    homes = [each for each in module.imports if re.fullmatch(words.home, each.name)]
    if not homes:
        return spared
    idle = _outermost([*spared, *shown_spans(data, words)])
    return sorted([*spared, *_read_in(idle, homes, data)])


def _with_defaults(module: Module) -> Iterator[Span]:
    """Functions that may fail, only called as in `release() or 12`, and those expressions."""
    functions = [each for each in module.nodes("definition") if _may_fail(each)]
    if not functions:
        return
    words = Counter(match[0] for match in _WORD.finditer(module.data))
    defaults = Counter(name for name, call in module.calls if _is_left_of_or(call))
    for each in functions:
        name = text_of(each.child_by_field_name("name"))
        # What is named once more than it is called so is only defined besides.
        if name in defaults and words[name.encode()] == defaults[name] + 1:
            yield span_of(each)
            calls = (call.parent for called, call in module.calls if called == name)
            yield from (span_of(with_default) for with_default in calls if with_default)


def _outermost(spans: Iterable[Span]) -> list[Span]:
    """The spans that are inside no other, in order."""
    found: list[Span] = []
    for each in sorted(spans):
        if not found or each.start >= found[-1].end:
            found.append(each)
    return found


def _may_fail(definition: tree_sitter.Node) -> bool:
    """Whether a function goes on when the program that it runs is not there."""
    body = definition.child_by_field_name("body")
    if definition.type != "function_definition" or not body:
        return False
    tries = (each for each in body.named_children if each.type == "try_statement")
    clauses = (each for one in tries for each in one.named_children)
    return any(goes_on(each, NO_PROGRAM) for each in clauses)


def _is_left_of_or(call: tree_sitter.Node) -> bool:
    """Whether the answer has a default: `release() or 12`."""
    above = call.parent
    return (
        above is not None
        and above.type == "boolean_operator"
        and above.child_by_field_name("left") == call
        and text_of(above.child_by_field_name("operator")) == "or"
    )


def _read_in(spans: list[Span], homes: list[Import], data: bytes) -> Iterator[Span]:
    """The imports that nothing but these spans reads, each of which is outside the others."""
    starts = [each.start for each in spans]
    imported = Counter(each.name.rpartition(".")[2].encode() for each in homes)
    elsewhere, inside = Counter[bytes](), Counter[bytes]()
    for match in _WORD.finditer(data):
        if match[0] in imported:
            number = bisect_right(starts, match.start())
            is_inside = number > 0 and match.start() < spans[number - 1].end
            (inside if is_inside else elsewhere)[match[0]] += 1
    for each in homes:
        name = each.name.rpartition(".")[2].encode()
        if elsewhere[name] == imported[name]:
            yield each.span
