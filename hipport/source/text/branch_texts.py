"""What follows a condition of the preprocessor, and where that ends."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.directives import Directive
from hipport.source.text.source_text import Code

BRANCHES = ("elif", "else", "endif", "elifdef", "elifndef")
"""What ends a branch."""
_LONGEST_COMPARED = 4_000
"""From this length on, in bytes, branches are not compared."""
_NAME = regex(r"[A-Za-z_]\w*")
_FEWEST_SHARED = 2
_OF_EVERY_CODE = frozenset(
    (
        *("return", "const", "static", "inline", "int", "unsigned", "float", "double", "long"),
        *("char", "void", "bool", "auto", "if", "else", "for", "while", "do", "short", "sizeof"),
    )
)


def two_branches(code: Code, directive: Directive, longest: int) -> tuple[str, str]:
    """What follows a condition, and what follows its `#else`; "" for none, or for another one.

    A branch is cut off behind the longest that is wanted, in bytes.
    """
    end, _ = branch_end(code, directive)
    if end is None:
        return "", ""
    start = directive.span.end
    branch = code.uncommented[start : min(end.span.start, start + longest)]
    last, _ = branch_end(code, end) if end.keyword == "else" else (None, 0)
    if last is None:
        return branch, ""
    start = end.span.end
    return branch, code.uncommented[start : min(last.span.start, start + longest)]


def branch_end(code: Code, directive: Directive) -> tuple[Directive | None, int]:
    """What ends the branch that a condition opens, if anything does.

    Also the line of an #error that every compiler of the branch comes to; 0 if there is none.
    """
    depth = error = 0
    for each in code.directives_within(Span(directive.span.start, len(code.text))):
        if each.opens:
            depth += 1
        elif each.keyword == "error" and depth == 0:
            error = error or code.position(each.span.start).line
        elif each.keyword in BRANCHES:
            if depth == 0:
                return each, error
            depth -= each.keyword == "endif"
    return None, error


def other_does_the_same(code: Code, directive: Directive, number: int, stops: str) -> bool:
    """Whether another branch works on what the one of a number does, with nothing of `stops`."""
    branch, other = two_branches(code, directive, _LONGEST_COMPARED)
    lost, taken = (other, branch) if number else (branch, other)
    if not taken.strip() or len(taken) == _LONGEST_COMPARED or re.search(stops, taken):
        return False
    shared = {*_NAME.findall(lost)}.intersection(_NAME.findall(taken)) - _OF_EVERY_CODE
    return len(shared) >= _FEWEST_SHARED
