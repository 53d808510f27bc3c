"""Constants and enumerators: the values that the syntax tree gives their names.

Only the statements with `const`, `constexpr` or `enum` are parsed, those of a part at once:
the headers of a whole tree are asked, and parsing them whole takes many times as long.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.languages.cuda_syntax import PARSER
from hipport.source.text.brackets import closing_bracket, enclosing_bracket, occurrences, skip
from hipport.source.text.quick_search import matches
from hipport.source.text.source_text import Code

_HEAD = r"\b(?P<word>const|constexpr|enum)\b(?P<rest>[^;(){}#]*+)(?P<mark>[;({])"
_HEAD_HERE = regex(_HEAD)
_WORDS = ("const", "enum")
_GIVING = frozenset("=({[")
_OF_ENUMERATOR = frozenset(",}#")
_NEXT = regex(r"[;(){}#]")
_LONGEST = 20_000
_NEAR = 400
_MOST_HEADS = 100
"""Casts such as `(const T*)p`, of which each is looked at, between a constant and its `const`."""
_CONSTANT = frozenset((b"const", b"constexpr"))
_LISTS = frozenset(("initializer_list", "argument_list"))
_FIRST = "", 0


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
    heads = [each for each in _WORDS if code.mentions((each,))]
    statements = (_statement_around(code.code, at, heads) for at in _where_given(code.code, name))
    for statement in dict.fromkeys(filter(None, statements)):
        yield from code.once(_constants_by_name, code, statement).get(name, ())


def _where_given(text: str, name: str) -> Iterator[int]:
    for at in occurrences(text, name):
        behind = skip(text, at + len(name))
        after = text[behind : behind + 1]
        # An argument is no enumerator.
        if after in _GIVING or (after in _OF_ENUMERATOR and enclosing_bracket(text, at) != "("):
            yield at


def _statement_around(text: str, at: int, heads: list[str]) -> Span | None:
    """The statement that an offset is in, looked for from there to its beginning.

    `heads` are the words to look for: those that the file has.
    """
    word = at
    for _ in range(_MOST_HEADS if heads else 0):
        word = max(text.rfind(each, max(0, at - _LONGEST), word) for each in heads)
        match = _HEAD_HERE.match(text, word) if word >= 0 else None
        statement = _statement(text, match) if match else None
        if statement or word < 0:
            return statement if statement and at < statement.end else None
    return None


def _constants_by_name(code: Code, statement: Span) -> dict[str, list[Constant]]:
    found: dict[str, list[Constant]] = {}
    for each in _constants_of(code.code, [statement]):
        found.setdefault(each.name, []).append(each)
    return found


def _constants_in(text: str) -> list[Constant]:
    """The constants of a part of a file, at places in it."""
    statements = (_statement(text, each) for each in matches(_HEAD, text, re.NOFLAG))
    return list(_constants_of(text, list(filter(None, statements))))


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


def _statement(text: str, head: re.Match[str]) -> Span | None:
    """The statement with such a word, up to its semicolon, if it may give constants a value."""
    if head["mark"] == "{":
        # `int f() const {` begins a body.
        may_have_value = head["word"] == "enum" or bool(head["rest"].strip())
    else:
        # A `(` before any `=` begins the parameters of a function.
        may_have_value = "=" in head["rest"]
    end = _end(text, head.start("mark")) if may_have_value else None
    is_whole = end is not None and end - head.start() <= _LONGEST
    return Span(_start(text, head.start()), end) if end and is_whole else None


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
