"""The lines of a file that include others: which there are, and where another has its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.text.brackets import skip
from hipport.source.text.c_linkage import before_c_linkage
from hipport.source.text.directives import Branch, Directive
from hipport.source.text.source_text import Code

INCLUDES = frozenset(("include", "include_next", "import"))
_INCLUDED = regex(r'[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")')


def includes(code: Code) -> Iterator[tuple[str, Directive]]:
    """Every header that a text includes by a literal name, and where."""
    for directive in code.directives:
        if directive.keyword in INCLUDES:
            match = _INCLUDED.match(code.text, directive.body.start)
            if match:
                yield match[1] or match[2], directive


def include_guard(code: Code) -> Branch:
    """The branch of the include guard that wraps the file; () if there is none."""
    lines = code.directives
    if len(lines) < 3 or lines[1].keyword != "define" or lines[-1].keyword != "endif":
        return ()
    opening = code.slice(lines[0].body)
    match = re.match(r"\s*(?:!\s*defined\s*\(?\s*)?(\w+)", opening)
    defined = re.match(r"\s*(\w+)", code.slice(lines[1].body))
    if lines[0].keyword not in ("ifndef", "if") or not match or not defined:
        return ()
    if match[1] != defined[1] or len(lines[-1].branch) != 0:
        return ()
    return ((lines[0].span.start, 0),)


def first_place(code: Code) -> int:
    """Before the first unconditional include; else behind comments, #pragma once and the guard.

    In no block of `extern "C"`.
    """
    guard = include_guard(code)
    for directive in code.directives:
        if directive.keyword in INCLUDES and directive.branch in ((), guard):
            start = before_c_linkage(code, directive.span.start)
            return code.code.rfind("\n", 0, start) + 1 or bom_length(code.text)
    place = bom_length(code.text)
    heading = code.directives[:2] if guard else []
    heading += [
        each
        for each in code.directives[:3]
        if _is_pragma_once(code, each) and each.branch in ((), guard)
    ]
    for directive in heading:
        place = max(place, directive.span.end)
    if place == bom_length(code.text):
        # Comments at the top are passed over line by line: they are blank in the code.
        first = skip(code.code, 0)
        return code.code.rfind("\n", 0, first) + 1 or place
    newline = code.text.find("\n", place)
    return newline + 1 if newline >= 0 else len(code.text)


def before_includes(code: Code) -> int:
    """Before the first include, and before the conditional around it."""
    depth = len(include_guard(code))
    for directive in code.directives:
        if directive.keyword in INCLUDES:
            inner = directive.branch[depth:]
            start = before_c_linkage(code, inner[0][0] if inner else directive.span.start)
            return code.code.rfind("\n", 0, start) + 1 or bom_length(code.text)
    return first_place(code)


def bom_length(text: str) -> int:
    return 3 if text.startswith("\xef\xbb\xbf") else 0


def _is_pragma_once(code: Code, directive: Directive) -> bool:
    return directive.keyword == "pragma" and code.slice(directive.body).strip() == "once"
