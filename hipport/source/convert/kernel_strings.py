"""Kernels in string literals: those that reach the run-time compiler are converted like files.

A literal counts when it is the source argument itself, when a variable that is one was initialized
with it, or when the user names that variable. Delimiters and escapes stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.convert.embedded_kernels import (
    Convert,
    convert_text,
    find_in_texts,
    is_kernel,
    is_part,
    leave_to_conversion,
    report_text,
)
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.given_values import values_given
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip, skip_back
from hipport.source.text.embedded_code import EmbeddedCode, Piece
from hipport.source.text.literal_pieces import c_piece
from hipport.source.text.source_text import Code

_VARIABLE = regex(r"(?:&\s*)?([A-Za-z_]\w*)(?:\s*(?:\.|->)\s*(?:c_str|data)\s*\(\s*\))?")
_MACRO = regex(r"\s*([A-Za-z_]\w*)\s")
_PREFIX = regex(r"(?:u8)?R?\Z")


def convert_kernel_strings(unit: Unit, convert: Convert) -> None:
    """Convert the texts that are certainly kernels; report the others that would change."""
    done: set[int] = set()
    for literals in [*_compiled(unit), *_named(unit)]:
        if literals and literals[0].start not in done:
            done.update(literal.start for literal in literals)
            pieces = _pieces(unit, literals)
            if pieces and not convert_text(unit, pieces, convert):
                report_text(unit, literals[0], pieces, convert)
    is_compiling = bool(unit.of(unit.rules.kernel_strings.compilers))
    for literals in _groups(unit):
        if literals[0].start in done:
            continue
        text = "".join(map(unit.code.slice, literals))
        if is_kernel(unit, text) or (is_compiling and is_part(unit, text)):
            report_text(unit, literals[0], _pieces(unit, literals), convert)


def find_in_kernel_strings(unit: Unit, convert: Convert) -> None:
    """Add the findings of an audit in the texts of kernels, seen to be compiled or not."""
    kernels = {literals[0].start: literals for literals in _compiled(unit) if literals}
    compiled = [(code, convert(code)) for code in _codes(unit, kernels.values())]
    leave_to_conversion(unit, compiled)
    others = [
        literals
        for literals in _groups(unit)
        if literals[0].start not in kernels
        and is_kernel(unit, "".join(map(unit.code.slice, literals)))
    ]
    known = (inner for _, inner in compiled)
    find_in_texts(unit, chain(known, map(convert, _codes(unit, others))))


def _codes(unit: Unit, kernels: Iterable[Sequence[Span]]) -> Iterator[EmbeddedCode]:
    """The texts of kernels as files of their own, but for those with wide characters."""
    for literals in kernels:
        if pieces := _pieces(unit, literals):
            yield EmbeddedCode(unit.code, pieces)


def _pieces(unit: Unit, literals: Sequence[Span]) -> list[Piece]:
    """The texts of literals; nothing where one is of wide characters."""
    try:
        return [c_piece(unit.code, each) for each in literals]
    except ValueError:
        return []


def _compiled(unit: Unit) -> Iterator[list[Span]]:
    """The literals that are, or initialize, the source argument of a call."""
    sinks: dict[str, int] = unit.rules.kernel_strings.compilers
    for use in unit.of(sinks):
        call = parse_call(unit.code, use.span)
        if call is None or len(call.arguments) <= sinks[use.name]:
            continue
        argument = call.arguments[sinks[use.name]]
        direct = _literals_only(unit, argument)
        variable = _VARIABLE.fullmatch(unit.code.code[argument.start : argument.end].strip())
        if direct:
            yield direct
        elif variable:
            found = [
                each for each in _initializers(unit, variable[1]) if each[0].start < use.span.start
            ]
            yield from found[-1:]


def _named(unit: Unit) -> Iterator[list[Span]]:
    for name in unit.options.kernel_strings:
        yield from _initializers(unit, name)


def _initializers(unit: Unit, name: str) -> Iterator[list[Span]]:
    """The literals that variables or macros of that name are given, and nothing else."""
    given = [_inside(unit.code.code, each) for each in values_given(unit.declarations, name)]
    for each in [*given, *_macros(unit.code).get(name, ())]:
        literals = _literals_only(unit, each)
        if literals:
            yield literals


def _inside(text: str, value: Span) -> Span:
    """What brackets around all of a value hold."""
    while text[value.start] in "({" and closing_bracket(text, value.start) == value.end - 1:
        value = Span(skip(text, value.start + 1), skip_back(text, value.end - 1))
    return value


@lru_cache(maxsize=1)
def _macros(code: Code) -> dict[str, list[Span]]:
    """Macro -> its texts."""
    found: dict[str, list[Span]] = {}
    for directive in code.directives:
        macro = _MACRO.match(code.code, directive.body.start, directive.body.end)
        if directive.keyword == "define" and macro:
            found.setdefault(macro[1], []).append(Span(macro.end(), directive.span.end))
    return found


def _literals_only(unit: Unit, span: Span) -> list[Span]:
    """The literals that a stretch of code consists of, with their prefixes; else none."""
    literals = [
        Span(_with_prefix(unit, each), each.end)
        for each in unit.code.literals_within(span)
        if unit.code.text[each.end - 1] == '"'
    ]
    at = skip(unit.code.code, span.start)
    for literal in literals:
        if at != literal.start:
            return []
        at = skip(unit.code.code, literal.end)
    return literals if at >= skip_back(unit.code.code, span.end) else []


def _with_prefix(unit: Unit, literal: Span) -> int:
    """Where a literal begins with its encoding prefix; a raw one's R is a part of it already."""
    before = unit.code.text[max(0, literal.start - 2) : literal.start]
    prefix = _PREFIX.search(before)
    return literal.start - len(prefix[0]) if prefix else literal.start


def _groups(unit: Unit) -> Iterator[list[Span]]:
    """All string literals, those that the compiler joins taken together."""
    group: list[Span] = []
    for literal in unit.code.literals:
        if unit.code.text[literal.end - 1] != '"':
            continue
        directive = unit.code.directive_at(literal.start)
        if directive is not None and directive.keyword != "define":
            continue
        literal = Span(_with_prefix(unit, literal), literal.end)
        if group and skip(unit.code.code, group[-1].end) != literal.start:
            yield group
            group = []
        group.append(literal)
    if group:
        yield group
