"""What Python never runs, whatever the GPU: the statements behind a `return` or a `raise`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.languages.python_syntax import module_of

_LEAVING = ("return_statement", "raise_statement", "continue_statement", "break_statement")
_WITH_BLOCKS = ("_statement", "_definition", "_clause", "block")
# A line that leaves, and another behind it that begins in the same column.
_HINT = regex(
    rb"^([ \t]+)(?:return|raise|continue|break)\b[^\n]*\n"
    rb"(?:[ \t]*(?:#[^\n]*)?\r?\n){0,20}\1(?=[\w@])(?!(?:elif|else|except|finally|case)\b)",
    re.MULTILINE,
)


def unreached_spans(data: bytes) -> list[Span]:
    """The rests of blocks that something leaves before, in order."""
    # Few files have any, and most need no parser for this.
    return sorted(_rests(module_of(data).root)) if _HINT.search(data) else []


def _rests(root: tree_sitter.Node) -> Iterator[Span]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        statements = [each for each in node.named_children if each.type != "comment"]
        if node.type == "block":
            for each, following in pairwise(statements):
                if each.type in _LEAVING:
                    yield Span(following.start_byte, node.end_byte)
                    break
        waiting += (each for each in statements if each.type.endswith(_WITH_BLOCKS))
