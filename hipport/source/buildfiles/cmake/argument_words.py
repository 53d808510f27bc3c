"""Splits CMake arguments into words as a compiler sees them, inside generator expressions too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.nvcc_flags import QUOTED
from hipport.source.languages.cmake_syntax import Argument

_SEPARATORS = " \t\r\n;"
_VARIABLE = regex(r"\$(?:ENV|CACHE)?\{[^{}]*\}")
_HEAD_WORD = regex(r"(?:BUILD_INTERFACE|INSTALL_INTERFACE|HOST_LINK|0|1):")
SHELL = "SHELL:"


class Word(NamedTuple):
    """A word; `scope` is the number of the innermost `$<condition:...>` around it, or -1."""

    text: str
    span: Span
    argument: int
    scope: int


class Scope(NamedTuple):
    """A `$<condition:...>`; `end` is the offset of its `>`, or -1 if that is missing."""

    condition: str
    start: int
    end: int
    parent: int


class Words(msgspec.Struct, frozen=True):
    """The words of some arguments, and the conditional expressions around them."""

    words: list[Word]
    scopes: list[Scope]

    def conditions(self, scope: int) -> Iterator[str]:
        """The conditions on a word in this scope, innermost first."""
        while scope >= 0:
            yield self.scopes[scope].condition
            scope = self.scopes[scope].parent

    def runs(self) -> Iterator[list[Word]]:
        """Adjacent words under the same condition: they form one command line."""
        run: list[Word] = []
        for word in self.words:
            if run and run[-1].scope != word.scope:
                yield run
                run = []
            run.append(word)
        if run:
            yield run


def words_of(text: str, arguments: Iterable[tuple[int, Argument]]) -> Words:
    """The words of arguments, each given with its number."""
    words: list[Word] = []
    scopes: list[Scope] = []
    open_: list[int] = []
    for number, argument in arguments:
        at, end = argument.span
        while at < end:
            if text[at] in _SEPARATORS:
                at += 1
            elif open_ and text[at] == ">":
                scope = open_.pop()
                scopes[scope] = scopes[scope]._replace(end=at)
                at += 1
            elif text.startswith(SHELL, at):
                at += len(SHELL)
            elif content := _content(text, at, end):
                parent = open_[-1] if open_ else -1
                open_.append(len(scopes))
                scopes.append(Scope(text[at + 2 : content - 1], at, -1, parent))
                at = content
            else:
                stop = _word_end(text, at, end, bool(open_))
                span = Span(at, stop)
                words.append(Word(text[at:stop], span, number, open_[-1] if open_ else -1))
                at = stop
    return Words(words, scopes)


def _content(text: str, at: int, end: int) -> int:
    """The start of the content of `$<condition:content>`; 0 if none begins here."""
    if not text.startswith("$<", at):
        return 0
    at += 2
    if match := _HEAD_WORD.match(text, at, end):
        return match.end()
    if text.startswith("$<", at):
        at = _expression_end(text, at, end)
    elif match := _VARIABLE.match(text, at, end):
        at = match.end()
    else:
        return 0
    return at + 1 if text.startswith(":", at) and at < end else 0


def _expression_end(text: str, at: int, end: int) -> int:
    """The end of the `$<...>` that begins here; the end of the text if it is not closed."""
    depth = 0
    while at < end:
        if text.startswith("$<", at):
            depth += 1
            at += 2
            continue
        if text[at] == ">":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return end


def _word_end(text: str, at: int, end: int, in_scope: bool) -> int:
    while at < end and text[at] not in _SEPARATORS:
        if in_scope and text[at] == ">":
            return at
        if text.startswith("$<", at):
            at = _expression_end(text, at, end)
        elif match := _VARIABLE.match(text, at, end) or QUOTED.match(text, at, end):
            at = match.end()
        else:
            at += 2 if text[at] == "\\" else 1
    return min(at, end)
