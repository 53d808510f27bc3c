"""Whether the tokens round a name may declare it: asked first, as most uses need no parsing."""

from __future__ import annotations

import re
from collections.abc import Set

from hipport.model import Span
from hipport.source.text.brackets import (
    closing_bracket,
    enclosing_bracket,
    skip,
    skip_back,
    word_before,
)

# A name after one of these, or after punctuation, is used and not declared.
_USING_WORDS = frozenset(
    "return else case throw goto new delete sizeof alignof typeof co_return co_await co_yield"
    " and or not do operator if while for switch explicit noexcept decltype defined".split()
)
# Addresses, literals, casts, sizes and members are arguments of a call, and no parameters.
_ARGUMENT = re.compile(r"[(,]\s*(?:&\s*\w|[0-9\"'({-]|sizeof\b|nullptr\b|NULL\b)|->|\w\.\w")
_HEADS = frozenset("struct class union enum namespace using typename typedef".split())
_AFTER_DECLARED = frozenset("(;=,)[{}:>]")


def may_declare(text: str, name: Span, statement_macros: Set[str]) -> bool:
    """Whether the tokens around a name leave it possible that it is declared there.

    `statement_macros` are macros of the file without parameters that are nothing, or whole
    statements.
    """
    before = skip_back(text, name.start)
    word = text[slice(*word_before(text, before))]
    following = skip(text, name.end)
    after = text[following : following + 1]
    if text.startswith("::", following):
        return word == "namespace"
    if word in _HEADS:
        head = word_before(text, before)
        return text[slice(*word_before(text, head.start))] != "using"
    if after not in _AFTER_DECLARED or word in _USING_WORDS:
        return False
    declarator = before
    while declarator and text[declarator - 1] in "*& \t\r\n":
        declarator -= 1
    last = text[declarator - 1 : declarator]
    if last == "(":
        return declarator < before and after == ")"
    if last == "{" and after == "(":
        return False  # A call; a constructor declares its class no more.
    if last == "}":
        return after in (";", "=", "{", "[", ",")  # What a class's body is of.
    if last and last in "{,":
        return enclosing_bracket(text, declarator) != "("
    place = word_before(text, declarator)
    word = text[slice(*place)]
    if word[:1].isdigit():
        return False
    if (
        after == "("
        and declarator == before
        and _is_call_behind_macro(text, place, following, statement_macros)
    ):
        return False
    return (_is_word(last) and word not in _USING_WORDS) or last in (">", "[")


def _is_call_behind_macro(text: str, word: Span, opened: int, statement_macros: Set[str]) -> bool:
    """Whether `WORD name(...)` is no declaration, but a macro without a semicolon and a call.

    The file defines the word as no type, or what stands in the parentheses are no parameters.
    """
    before = skip_back(text, word.start)
    if text[before - 1 : before] not in (";", "{", "}", ")"):
        return False
    if text[slice(*word)] in statement_macros:
        return True
    closed = closing_bracket(text, opened)
    return closed is not None and _ARGUMENT.search(text, opened, closed) is not None


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
