"""A small tokenizer of C and C++, to check conversions by other means than the converter's own.

It follows the lexical rules of the C++ standard (N4950 [lex]) as far as a check needs them:
comments, string, raw string and character literals, preprocessing numbers with digit separators,
header names, and the text of `#error` and `#warning`, which is prose. A backslash before the end
of a line continues comments, literals and directives. An identifier split by one counts as two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple


class Token(NamedTuple):
    """A piece of source. Line and column are 1-based; the column counts characters."""

    kind: str
    text: str
    line: int
    column: int


_CONTINUED = r"\\\r?\n"
_SPACE = rf"(?:[ \t\f\v]|{_CONTINUED})*"
_TO_LINE_END = rf"(?:{_CONTINUED}|[^\n])*"

_TOKEN = re.compile(
    rf"""
      (?P<space>   (?:\s|{_CONTINUED})+ )
    | (?P<comment> //{_TO_LINE_END} | /\*.*?(?:\*/|\Z) )
    | (?P<include> (?: \#{_SPACE}(?:include|include_next|import)\b{_SPACE}
                     | \b__has_include(?:_next)?{_SPACE}\({_SPACE} )
                   (?: <[^>\n]*> | "[^"\n]*" ) )
    | (?P<prose>   \#{_SPACE}(?:error|warning)\b{_TO_LINE_END} )
    | (?P<raw>     (?:u8|[uUL])?R"(?P<mark>[^\s()\\]{{0,16}})\(.*?\)(?P=mark)" )
    | (?P<string>  (?:u8|[uUL])?"(?:\\\r?\n|\\.|[^"\\\n])*" )
    | (?P<char>    (?:u8|[uUL])?'(?:\\\r?\n|\\.|[^'\\\n])+' )
    | (?P<number>  \.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[0-9A-Za-z_.])* )
    | (?P<name>    [^\W\d][\w$]* )
    | (?P<chevron> <<< | >>> )
    | (?P<other>   . )
    """,
    re.VERBOSE | re.DOTALL,
)

_OF_ONE_LINE = frozenset({"name", "number", "chevron", "other"})
LITERALS = frozenset({"raw", "string", "char"})


def decode(data: bytes) -> str:
    """The text of a source file: UTF-8, or Latin-1 where it is not UTF-8; no newline is changed."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


@lru_cache(maxsize=2)
def tokens(text: str) -> tuple[Token, ...]:
    """Every token but white space, in order; several checks in turn ask for those of a file."""
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind != "space":
            yield Token(kind, match[0], line, match.start() - line_start + 1)
        if kind not in _OF_ONE_LINE and (newlines := match[0].count("\n")):
            line += newlines
            line_start = match.start() + match[0].rindex("\n") + 1


def names(text: str) -> list[tuple[str, int, int]]:
    """Identifiers in code, with line and column: not in comments, literals, header names, prose."""
    return [(t.text, t.line, t.column) for t in tokens(text) if t.kind == "name"]


def untouchables(text: str) -> list[str]:
    """Comments and literals in order: what a conversion must leave as it is."""
    return [t.text for t in tokens(text) if t.kind == "comment" or t.kind in LITERALS]
