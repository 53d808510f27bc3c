"""What follows a condition of the preprocessor, and where that ends."""

from __future__ import annotations

from hipport.model import Span
from hipport.source.text.source_text import Code, Directive

BRANCHES = ("elif", "else", "endif", "elifdef", "elifndef")
"""What ends a branch."""


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
        if each.keyword in ("if", "ifdef", "ifndef"):
            depth += 1
        elif each.keyword == "error" and depth == 0:
            error = error or code.position(each.span.start).line
        elif each.keyword in BRANCHES:
            if depth == 0:
                return each, error
            depth -= each.keyword == "endif"
    return None, error
