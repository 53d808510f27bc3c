"""Splits a makefile into logical lines and shell words, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple

_LOGICAL = regex(r"[^\\\n]*+(?:\\(?:\r?\n|.|\Z)[^\\\n]*+)*+(?:\n|\Z)")
_ASSIGNMENT = regex(
    r"[ \t]*(?:(?:export|override|private|define)[ \t]+)*"
    r"(?P<name>[^\s:#=+?!]+)[ \t]*(?P<operator>(?:::?:?|[+?!])?=)[ \t]*"
)
_TARGET_VARIABLE = regex(
    r"[^\s:#=][^:=#\n]*:[ \t]*(?P<name>[\w.-]+)[ \t]*(?P<operator>(?:::?:?|[+?!])?=)[ \t]*"
)
_COMMENT = regex(r"#(?<!\\#)")
_DESCENDED = frozenset(("eval", "foreach", "if", "strip", "shell", "or", "and", "wildcard"))
_FUNCTION = regex(r"\$[({]([a-z]+)[ \t]+")
_DEEPEST = 20
_ORDINARY = regex(r"[^\\\"'$ \t\r\n;|&]+")
_RECIPE_COMMENT = regex(r"[\t @-]*#")
# The prefixes of a recipe line that make itself reads.
_RECIPE_PREFIX = regex(r"\t[ \t@+-]*")
_JOINED = regex(r"[ \t]*\\\r?\n[ \t]*")
_QUOTING = regex(r"\\([\"'\\ ])|[\"']")
_NO_SEPARATOR = regex(r",(?:code|sm|compute)")
_BOM = "\xef\xbb\xbf"
SHORT = 400
"""Characters of a line that many makefiles may have: its words are remembered."""


class Line(msgspec.Struct, frozen=True):
    """A line with its continuation lines. `kind` is recipe, assignment, comment or other.

    `body` holds its words, without the tab, the variable, its operator, and the comment.
    """

    kind: str
    name: str
    span: Span
    body: Span


class Word(NamedTuple):
    """A word of a command line; `text` is without quotes, `span` with them."""

    text: str
    span: Span
    is_open: bool = False
    """Whether it has an unclosed quote, so that it takes all that follows."""


def lines_of(text: str) -> Iterator[Line]:
    """The logical lines of a makefile, without comments, including those of a recipe's shell."""
    for start, end in logical_lines(text):
        yield _line(text, start, end)


def logical_lines(text: str) -> Iterator[Span]:
    """The lines with their continuation lines, without the byte-order mark."""
    at = len(_BOM) if text.startswith(_BOM) else 0
    while at < len(text):
        match = _LOGICAL.match(text, at)
        end = match.end() if match and match.end() > at else at + 1
        yield Span(at, end)
        at = end


def _line(text: str, start: int, end: int) -> Line:
    span = Span(start, end)
    if text[start] == "\t":
        comment = _RECIPE_COMMENT.match(text, start, end)
        prefix = _RECIPE_PREFIX.match(text, start, end)
        body = Span(prefix.end() if prefix else start + 1, end)
        return Line("comment" if comment else "recipe", "", span, body)
    hash_ = _COMMENT.search(text, start, end)
    stop = hash_.start() if hash_ else end
    if not text[start:stop].strip():
        return Line("comment", "", span, Span(stop, stop))
    if text.find("=", start, stop) >= 0:
        for pattern in (_ASSIGNMENT, _TARGET_VARIABLE):
            if match := pattern.match(text, start, stop):
                return Line("assignment", match["name"], span, Span(match.end(), stop))
    return Line("other", "", span, Span(start, stop))


def value_of(text: str, line: Line) -> str:
    """The value of a variable, which may begin in the next line."""
    return _JOINED.sub(" ", text[line.body.start : line.body.end]).strip()


def has_open_quote(text: str, body: Span) -> bool:
    """Whether a word in a span has an unclosed quote."""
    start, end = body
    if end - start > SHORT:
        runs: Iterable[list[Word]] = _runs(text, body, 0)
    else:
        runs = runs_of_line(text[start : end + 1], end - start)
    return any(word.is_open for run in runs for word in run)


def words_of(text: str, body: Span) -> Iterator[list[Word]]:
    """The command lines in a span, which end at `;`, `|` or `&`, inside make functions too."""
    start, end = body
    if end - start > SHORT:
        yield from _runs(text, body, 0)
        return
    # With what follows: it shows whether a backslash at the end continues the line.
    for run in runs_of_line(text[start : end + 1], end - start):
        yield [
            Word(word, Span(first + start, last + start), is_open)
            for word, (first, last), is_open in run
        ]


@lru_cache(maxsize=2048)
def runs_of_line(text: str, end: int) -> list[list[Word]]:
    """The command lines in a text up to an offset, with places in it."""
    return list(_runs(text, Span(0, end), 0))


def _runs(text: str, body: Span, depth: int) -> Iterator[list[Word]]:
    words: list[Word] = []
    at, end = body
    while at < end:
        if text[at] in " \t\r\n" or (text[at] in "\"'" and _FUNCTION.match(text, at + 1, end)):
            at += 1
        elif text[at] == "\\" and text[at + 1 : at + 2] in ("\n", "\r", ""):
            at += 2
        elif text[at] in ";|&":
            yield words
            words = []
            at += 1
        elif depth < _DEEPEST and (match := _FUNCTION.match(text, at, end)):
            stop = reference_end(text, at, end)
            if match[1] not in _DESCENDED:
                words.append(_word(text, at, end))
                at = words[-1].span.end
                continue
            yield words
            words = []
            for part in _parts(text, match.end(), stop - 1):
                yield from _runs(text, _value(text, part), depth + 1)
            at = stop
        else:
            words.append(_word(text, at, end))
            at = words[-1].span.end
    yield words


def _value(text: str, part: Span) -> Span:
    """The value of an assignment inside `$(eval ...)`; any other part as it is."""
    match = _ASSIGNMENT.match(text, *part)
    return Span(match.end(), part.end) if match else part


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """The arguments of a function, separated by commas outside other references.

    Commas inside a flag such as `arch=compute_80,code=sm_80` do not separate.
    """
    at = begin = start
    while at < end:
        if text.startswith(("$(", "${"), at):
            at = reference_end(text, at, end)
            continue
        if text[at] == "," and not _NO_SEPARATOR.match(text, at):
            yield Span(begin, at)
            begin = at + 1
        at += 1
    yield Span(begin, end)


def reference_end(text: str, at: int, end: int) -> int:
    """The end of the `$(...)` or `${...}` that begins here."""
    opening = text[at + 1]
    closing = ")" if opening == "(" else "}"
    depth = 0
    for index in range(at + 1, end):
        if text[index] == opening:
            depth += 1
        elif text[index] == closing:
            depth -= 1
            if depth == 0:
                return index + 1
    return end


def _word(text: str, start: int, end: int) -> Word:
    """The word that begins there; quotes and references are taken whole."""
    at, quote = start, ""
    while at < end:
        if ordinary := _ORDINARY.match(text, at, end):
            at = ordinary.end()
            continue
        char = text[at]
        if text.startswith(("$(", "${"), at):
            at = reference_end(text, at, end)
            continue
        if char == "\\" and quote != "'":
            if not quote and text[at + 1 : at + 2] in ("\n", "\r"):
                break
            at += 2
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in " \t\r\n;|&":
            break
        at += 1
    span = Span(start, min(at, end))
    # make joins continuation lines with a blank.
    joined = _JOINED.sub(" ", text[span.start : span.end])
    return Word(_QUOTING.sub(r"\1", joined), span, quote != "")
