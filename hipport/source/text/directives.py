"""The preprocessor lines of a file, and the conditional branches that they make ([cpp.cond])."""

from __future__ import annotations

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span

_DIRECTIVE = regex(r"#[ \t]*+([A-Za-z_]\w*+)([^\n\\]*+(?:\\(?:\r?\n|.|\Z)[^\n\\]*+)*+)")
_OPENING = frozenset(("if", "ifdef", "ifndef"))
_DIVIDING = frozenset(("elif", "else", "elifdef", "elifndef"))
_CONDITIONS = _OPENING | _DIVIDING - {"else"}
_DEEPEST = 100

Branch = tuple[tuple[int, int], ...]
"""(offset of the #if, number of its branch) of each open conditional, outermost first."""


class Directive(msgspec.Struct, frozen=True):
    """A preprocessor line with its continuations; `body` is what follows the keyword.

    `branch` names the conditional branches it is in; an #else is in the one it opens.
    """

    keyword: str
    span: Span
    body: Span
    branch: Branch

    @property
    def opens(self) -> bool:
        """Whether a conditional begins here."""
        return self.keyword in _OPENING

    @property
    def divides(self) -> bool:
        """Whether the next branch of a conditional begins here."""
        return self.keyword in _DIVIDING

    @property
    def is_condition(self) -> bool:
        """Whether it tests something."""
        return self.keyword in _CONDITIONS


def directives_of(code: str) -> list[Directive]:
    """All preprocessor lines of a text without comments and literals, in order."""
    found: list[Directive] = []
    stack: list[tuple[int, int]] = []
    branch: Branch = ()
    for match in _DIRECTIVE.finditer(code):
        start = match.start()
        before = code[code.rfind("\n", 0, start) + 1 : start]
        if before and not before.isspace():
            continue
        keyword = match[1]
        if keyword in _DIVIDING and stack:
            opened, number = stack.pop()
            stack.append((opened, number + 1))
            branch = tuple(stack[:_DEEPEST])
        elif keyword == "endif" and stack:
            stack.pop()
            branch = tuple(stack[:_DEEPEST])
        found.append(Directive(keyword, Span(*match.span()), Span(*match.span(2)), branch))
        if keyword in _OPENING:
            stack.append((start, 0))
            branch = tuple(stack[:_DEEPEST])
    return found


def are_alternatives(one: Branch, other: Branch) -> bool:
    """Whether two places are in two branches of one conditional."""
    around = zip(one, other, strict=False)
    return any(first[0] == second[0] and first != second for first, second in around)
