"""Constants and enumerators: the values that the syntax tree gives their names.

Only the statements with `const`, `constexpr` or `enum` are parsed, those of a part at once:
the headers of a whole tree are asked, and parsing them whole takes many times as long.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

import tree_sitter

from hipport.model import Span
from hipport.source.languages.cuda_syntax import PARSER
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.quick_search import matches
from hipport.source.text.source_text import Code

_HEAD = r"\b(?P<word>const|constexpr|enum)\b(?P<rest>[^;(){}#]*+)(?P<mark>[;({])"
_BEHIND_NAME = frozenset("=({[,}#")
_NEXT = re.compile(r"[;(){}#]")
_LONGEST = 20_000
_NEAR = 400
_CONSTANT = frozenset((b"const", b"constexpr"))
_LISTS = frozenset(("initializer_list", "argument_list"))
_FIRST = "", 0
_start_of = attrgetter("start")


class Constant(NamedTuple):
    name: str
    value: str
    offset: int
    """Where its name is."""


def declared_constants(code: Code) -> Iterator[Constant]:
    """The constants and enumerators of a file, each with the text of its value.

    That of an enumerator without one counts from the one before, where no directive is between.
    """
    for part in code.parts:
        for each in code.of_part(_constants_in, part):
            yield each._replace(offset=each.offset + part.start)


def constants_named(code: Code, name: str) -> Iterator[Constant]:
    """Those of one name: only the statements that may give it a value are parsed."""
    statements = (_statement_around(code, at) for at in _where_given(code.code, name))
    for statement in dict.fromkeys(filter(None, statements)):
        yield from code.once(_constants_by_name, code, statement).get(name, ())


def _where_given(text: str, name: str) -> Iterator[int]:
    for at in occurrences(text, name):
        behind = skip(text, at + len(name))
        if text[behind : behind + 1] in _BEHIND_NAME:
            yield at


def _statement_around(code: Code, at: int) -> Span | None:
    part = code.parts[bisect_right(code.parts, at, key=_start_of) - 1]
    statements = code.of_part(_statements_in, part)
    number = bisect_right(statements, at - part.start, key=_start_of) - 1
    if number < 0 or statements[number].end <= at - part.start:
        return None
    return Span(*(part.start + each for each in statements[number]))


def _constants_by_name(code: Code, statement: Span) -> dict[str, list[Constant]]:
    found: dict[str, list[Constant]] = {}
    for each in _constants_of(code.code, [statement]):
        found.setdefault(each.name, []).append(each)
    return found


def _constants_in(text: str) -> list[Constant]:
    """The constants of a part of a file, at places in it."""
    return list(_constants_of(text, _statements_in(text)))


def _statements_in(text: str) -> list[Span]:
    return list(_statements(text))


def _constants_of(text: str, statements: list[Span]) -> Iterator[Constant]:
    if not statements:
        return
    texts = [text[slice(*each)].encode("latin-1") for each in statements]
    root = PARSER.parse(b"\n".join(texts)).root_node
    if root.has_error and len(statements) > 1:
        # One that cannot be read must not hide the others.
        half = len(statements) // 2
        yield from _constants_of(text, statements[:half])
        yield from _constants_of(text, statements[half:])
        return
    starts = [0, *accumulate(len(each) + 1 for each in texts)]
    for each in _constants(root):
        number = bisect(starts, each.offset) - 1
        yield each._replace(offset=each.offset - starts[number] + statements[number].start)


def _statements(text: str) -> Iterator[Span]:
    """The statements that may give constants a value, from such a word to their semicolon."""
    for match in matches(_HEAD, text, re.NOFLAG):
        if match["mark"] == "{":
            # `int f() const {` begins a body.
            may_have_value = match["word"] == "enum" or bool(match["rest"].strip())
        else:
            # A `(` before any `=` begins the parameters of a function.
            may_have_value = "=" in match["rest"]
        end = _end(text, match.start("mark")) if may_have_value else None
        if end and end - match.start() <= _LONGEST:
            yield Span(_start(text, match.start()), end)


def _start(text: str, at: int) -> int:
    """Where the statement begins that has a word at an offset: `std::size_t const W = 32;`."""
    floor = max(0, at - _NEAR)
    start = max(floor, *(text.rfind(mark, floor, at) + 1 for mark in ";{}()"))
    directive = text.rfind("#", start, at)
    return start if directive < 0 else max(start, text.find("\n", directive, at) + 1)


def _end(text: str, at: int) -> int | None:
    """Behind the semicolon of a statement; None where that is a parameter, or has a body."""
    while text[at] in "({":
        closed = closing_bracket(text, at, _LONGEST)
        following = _NEXT.search(text, closed + 1) if closed else None
        if closed is None or following is None or text.find(";", at, closed) >= 0:
            return None
        at = following.start()
    return at + 1 if text[at] == ";" else None


def _constants(node: tree_sitter.Node) -> Iterator[Constant]:
    if node.type == "enumerator_list":
        yield from _enumerators(node, _FIRST)
    elif node.type == "init_declarator":
        declared, value = (node.child_by_field_name(each) for each in ("declarator", "value"))
        words = node.parent.children if node.parent else ()
        if any(each.text in _CONSTANT for each in words) and declared and value:
            if value.type in _LISTS and value.named_child_count == 1:
                value = value.named_children[0]
            if declared.type == "identifier" and not node.has_error:
                yield Constant(_text(declared), _text(value), declared.start_byte)
    else:
        for each in node.named_children:
            yield from _constants(each)


def _enumerators(node: tree_sitter.Node, last: tuple[str, int] | None) -> Iterator[Constant]:
    """Those in a list, or in a branch of a conditional in it.

    `last` is the value before, as a text and what to add; None where branches may differ.
    """
    for each in node.named_children:
        if each.type != "enumerator":
            yield from _enumerators(each, None)
            last = None
            continue
        name, value = (each.child_by_field_name(field) for field in ("name", "value"))
        if value:
            last = None if value.has_error else (_text(value), 0)
        if name and last:
            text, more = last
            implied = f"({text}) + {more}" if text else str(more)
            yield Constant(_text(name), _text(value) if value else implied, name.start_byte)
            last = text, more + 1


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("latin-1")
