"""What tree-sitter knows about CMake: the commands of a file and their arguments, in order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec
import tree_sitter
import tree_sitter_cmake

from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.languages.syntax_errors import syntax_errors

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cmake.language()))
_COMMANDS = frozenset(
    (
        "normal_command",
        "if_command",
        "elseif_command",
        "else_command",
        "endif_command",
        "foreach_command",
        "endforeach_command",
        "while_command",
        "endwhile_command",
        "function_command",
        "endfunction_command",
        "macro_command",
        "endmacro_command",
        "block_command",
        "endblock_command",
    )
)
_BOM = b"\xef\xbb\xbf"
_FUNCTIONS = frozenset(("function_def", "macro_def"))


class Argument(msgspec.Struct, frozen=True):
    """One argument; `text` and `span` without quotes or brackets. `quote` is `"`, `[` or ""."""

    text: str
    span: Span
    whole: Span
    quote: str


class Command(NamedTuple):
    """A command, its name in lower case. Text is decoded as latin-1: an index is an offset."""

    name: str
    span: Span
    name_span: Span
    arguments: tuple[Argument, ...]
    in_function: bool


@lru_cache(maxsize=1)
def commands(data: bytes) -> tuple[Command, ...]:
    """Every command of a file that parses; one with an error in it is left out."""
    return tuple(_commands(_parsed(data), data, in_function=False))


def errors(data: bytes) -> int:
    """The number of syntax errors in a file."""
    return syntax_errors(_parsed(data))


@lru_cache(maxsize=1)
def _parsed(data: bytes) -> tree_sitter.Node:
    """The tree of a file; several passes ask for the same one, in turn."""
    # A byte-order mark is no part of the first command; blanks keep the offsets.
    return _PARSER.parse(data.replace(_BOM, b"   ", 1) if data[:3] == _BOM else data).root_node


def _commands(root: tree_sitter.Node, data: bytes, *, in_function: bool) -> Iterator[Command]:
    """The commands below a node, without recursion: blocks may be nested deeply."""
    stack = [(child, in_function) for child in reversed(root.children)]
    while stack:
        node, inside = stack.pop()
        if node.type in _COMMANDS:
            if not node.has_error:
                yield _command(node, data, inside)
            continue
        inside = inside or node.type in _FUNCTIONS
        stack += [(child, inside) for child in reversed(node.children)]


def _command(node: tree_sitter.Node, data: bytes, in_function: bool) -> Command:
    head = node.children[0]
    arguments = [
        _argument(each, data)
        for child in node.children
        if child.type == "argument_list"
        for each in child.children
        if each.type == "argument"
    ]
    return Command(
        data[head.start_byte : head.end_byte].decode("latin-1").lower(),
        Span(node.start_byte, node.end_byte),
        Span(head.start_byte, head.end_byte),
        tuple(arguments),
        in_function,
    )


def _argument(node: tree_sitter.Node, data: bytes) -> Argument:
    whole = Span(node.start_byte, node.end_byte)
    inner = node.children[0]
    span, quote = whole, ""
    if inner.type == "quoted_argument":
        span, quote = Span(whole.start + 1, whole.end - 1), '"'
    elif inner.type == "bracket_argument":
        opening, closing = inner.children[0], inner.children[-1]
        span, quote = Span(opening.end_byte, closing.start_byte), "["
    return Argument(data[span.start : span.end].decode("latin-1"), span, whole, quote)
