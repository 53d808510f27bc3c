"""Where expressions and operands end, by the brackets and operators around them."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.brackets import (
    closing_bracket,
    opening_bracket,
    skip,
    skip_back,
    word_before,
)

LONGEST_EXPRESSION = 400
"""The longest that is followed: what is longer is no index of a thread."""
_MARK = regex(r"[()\[\]{},;]")
_NAME = regex(r"[A-Za-z_]")
_BEFORE_MEMBERS = (".", "->", "::")
_SUBSCRIPT = regex(r"[\w.]*\s*\[[^\[\]]*\]")
_CAST = regex(r"\bstatic_cast\s*<[^<>(){};]*>")
_BREAKS = ",?:<>|^=&;"


def expression_at(text: str, start: int, end: int) -> Span:
    """The text from an offset to the end of the expression."""
    start = skip(text, start)
    depth = 0
    for match in _MARK.finditer(text, start, min(end, start + LONGEST_EXPRESSION)):
        mark = match[0]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and mark in ",;"):
            return Span(start, match.start())
    return Span(start, start)


def operand_before(text: str, end: int, *, is_loose: bool) -> Span:
    """The operand before an operator; of a loose one all to the next that binds less."""
    end = skip_back(text, end)
    start = end
    while start:
        if text[start - 1] in ")]":
            opened = opening_bracket(text, start - 1)
            if opened is None:
                break
            start = opened
        elif is_loose and text[start - 1] not in _BREAKS + "([{":
            start -= 1
        else:
            start = _place_before(text, start)
            break
        if not is_loose and text[end - 1] == ")":
            break
    return Span(start, end)


def _place_before(text: str, end: int) -> int:
    """Where a name that ends at an offset begins, with what it is a member of: `lanes.x`."""
    start = end
    while True:
        word = word_before(text, end)
        name = _NAME.search(text, word.start, word.end) if word.end == end else None
        if name is None:
            return start
        start = name.start()
        before = next((each for each in _BEFORE_MEMBERS if text.endswith(each, 0, start)), None)
        if before is None or start > word.start:
            return start
        end = start - len(before)


def operand_behind(text: str, start: int) -> Span:
    """The operand behind an operator: a name, a number, or an expression in parentheses."""
    start = skip(text, start)
    if text.startswith("(", start):
        closed = closing_bracket(text, start)
        return Span(start, closed + 1 if closed else start)
    match = re.compile(r"\w*").match(text, start)
    return Span(start, match.end() if match else start)


def without_subscripts(text: str) -> str:
    """The text without what is in brackets, and what it is taken from."""
    while "[" in text and (match := _SUBSCRIPT.search(text)):
        text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text


def without_casts(text: str) -> str:
    """The text with blanks for what makes numbers of another type: its `<` compares nothing."""
    if "static_cast" not in text:
        return text
    return _CAST.sub(lambda cast: " " * len(cast[0]), text)
