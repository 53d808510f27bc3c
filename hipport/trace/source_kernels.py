"""The kernels that a source defines or declares."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.text.brackets import (
    closing_bracket,
    occurrences,
    skip,
    skip_back,
    template_start,
    word_before,
)
from hipport.trace.compiled_lines import compiled_lines
from hipport.trace.macros import Expanded
from hipport.trace.model import Definition, Name
from hipport.trace.scopes import blocks_of, template_parameters
from hipport.trace.written_names import parse_name, split_list

_TOKEN = regex(r"[(){};]")
_LAST_WORD = regex(r"(?<=[\s*&>])([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)\Z")
_LONE = frozenset(
    "int long short char unsigned signed float double bool void const volatile".split()
)
_INSTANTIATION = regex(r"\s*(?:extern\s+)?template\b(?!\s*<)")
_REACH = 8_000


def kernels_in(file: Expanded, path: str, rules: RuleSet) -> Iterator[Definition]:
    """The kernels of a file, in order, those of macros where the macros are used."""
    code = file.code
    keyword, bound = rules.lanes.kernel, rules.lanes.launch_bounds
    for at in occurrences(code.code, keyword):
        if code.directive_at(at) is not None:
            continue
        head = Span(_statement_start(code.code, at), at)
        found = _declarator(code.code, at + len(keyword), rules)
        if found is None or _INSTANTIATION.match(code.code, *head):
            continue
        name, inside, end = found
        directives = list(code.directives_within(head))
        head = Span(directives[-1].span.end, at) if directives else head
        scope = (*blocks_of(code).place(at).scope, *name.scope)
        types, needed = _parameters(code.code[slice(*inside)])
        whole = code.code[head.start : end]
        yield Definition(
            path=path,
            start=file.position(at),
            name=Name(scope, name.last, name.arguments),
            template=template_parameters(code, head),
            parameters=types,
            needed=needed,
            bounds=_bounds(whole, bound),
            is_c=_is_c(file, head, at),
            has_body=code.code.startswith("{", end),
            lines=compiled_lines(file.source, file.source_offset(at), file.source_offset(end)),
        )


def _statement_start(text: str, at: int) -> int:
    return max(text.rfind(mark, max(0, at - _REACH), at) for mark in ";{}") + 1


def _declarator(text: str, at: int, rules: RuleSet) -> tuple[Name, Span, int] | None:
    """The name of the function that is declared, what is between its parentheses, and where its
    body or the semicolon is."""
    found: tuple[Name, Span] | None = None
    while match := _TOKEN.search(text, at, at + _REACH):
        at = match.end()
        if match[0] in "{;":
            return (*found, match.start()) if found else None
        if match[0] != "(":
            return None
        closed = closing_bracket(text, match.start())
        if closed is None:
            return None
        name = _name_before(text, match.start())
        if name and name.last not in rules.lanes.attributes:
            # A macro of the tree may come before the name, like an attribute.
            found = name, Span(match.end(), closed)
        at = closed + 1
    return None


def _name_before(text: str, end: int) -> Name | None:
    """The qualified name, with template arguments, that ends before an offset."""
    start = skip_end = skip_back(text, end)
    if text[skip_end - 1 : skip_end] == ">":
        opened = template_start(text, skip_end - 1)
        if opened is None:
            return None
        start = opened
    while True:
        word = word_before(text, start)
        if word.start == word.end:
            return None
        start = word.start
        before = skip_back(text, start)
        if text[before - 2 : before] != "::":
            return parse_name(text[start:skip_end])
        start = before - 2


def _parameters(text: str) -> tuple[tuple[str, ...], int]:
    """The types of a list of parameters as written, and how many have no default."""
    types: list[str] = []
    needed = 0
    for each in split_list(text):
        declared, equals, _ = each.partition("=")
        declared = declared.strip()
        if declared in ("", "void"):
            continue
        match = _LAST_WORD.search(declared)
        if match and match[1] not in _LONE:
            declared = declared[: match.start()] + ("*" if match[2] else "")
        types.append(" ".join(declared.split()))
        needed += not equals and not declared.rstrip().endswith("...")
    return tuple(types), needed


def _bounds(text: str, bound: str) -> str:
    for at in occurrences(text, bound):
        opened = skip(text, at + len(bound))
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        if closed is not None:
            return " ".join(text[opened + 1 : closed].split())
    return ""


def _is_c(file: Expanded, head: Span, at: int) -> bool:
    """Whether the place has C linkage, of its own or through an `extern "C"` block around it."""
    code = file.code
    before = code.text[head.start : at]
    if "extern" in before and re.search(r'\bextern\s*"C"', before):
        return True
    for block in blocks_of(code).place(at).blocks:
        if block.kind == "linkage":
            return '"C"' in code.text[slice(*block.head)]
    return False
