"""Walking over blanked code by brackets and words, without parsing it.

Every function takes the text of `Code.code` (or `Code.resolved`), where comments and literals
are blank, and offsets into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.source_text import IDENTIFIER_PARTS

_SPACE = " \t\r\n\f\v\\"
# Words that may come before a leading `::` without qualifying what follows.
NO_QUALIFIERS = frozenset(
    "return else case throw new delete typename do using not and or static const constexpr"
    " constinit inline extern volatile mutable typedef friend virtual explicit register"
    " thread_local operator using namespace"
    " __device__ __host__ __global__ __forceinline__ __inline__ __noinline__".split()
)
LAUNCH = regex(r"<<(?<!<<<)[ \t]*<(?!<)")
"""What a kernel launch begins with. nvcc takes `<< <` too, which formatters of C++ write.

A pattern that begins with a fixed text is found many times faster.
"""
_BRACKET = regex(r"[()\[\]{}]")
_BRACKET_OR_END = regex(r"[()\[\]{};]")
_BRACKET_OR_HASH = regex(r"[()\[\]{}#]")
_BRACE_OR_HASH = regex(r"[{}#]")
_CONDITIONAL = regex(r"#[ \t]*(if(?:n?def)?|elif(?:n?def)?|else|endif)\b")
_OF_WORDS = "".join(each for each in map(chr, range(256)) if each.isalnum() or each == "_")
_CONTINUED = ("\\\n", "\\\r\n")
_LONG_WORD = 64
_REACH = 100_000
_NEAR = 4_000
_WINDOW = 200


def occurrences(text: str, name: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The offsets of a name, as a whole identifier; a name that is missing is nowhere.

    A search for a fixed text, which is many times faster than one by a pattern of its own.
    """
    at = text.find(name, start, end) if name else -1
    while at >= 0:
        behind = at + len(name)
        before, after = text[at - 1 : at], text[behind : behind + 1]
        if before not in IDENTIFIER_PARTS and after not in IDENTIFIER_PARTS:
            yield at
        at = text.find(name, behind, end)


def skip(text: str, offset: int) -> int:
    """The start of the first token at or after the offset."""
    while offset < len(text) and text[offset] in _SPACE:
        offset += 1
    return offset


def skip_back(text: str, offset: int) -> int:
    """The end of the last token before the offset."""
    if offset and text[offset - 1] in _SPACE:
        offset -= 1  # Mostly it is one space.
        while offset and text[offset - 1] in _SPACE:
            piece = text[max(0, offset - _LONG_WORD) : offset]
            offset -= len(piece) - len(piece.rstrip(_SPACE))
    return offset


def skip_back_lines(text: str, offset: int) -> int:
    """The end of the last token before the offset that is on no preprocessor line above it."""
    at = skip_back(text, offset)
    while "\n" in text[at:offset]:
        start = text.rfind("\n", 0, at) + 1
        while text.endswith(_CONTINUED, 0, start):
            start = text.rfind("\n", 0, start - 1) + 1
        if not text.startswith("#", skip(text, start)):
            break
        at, offset = skip_back(text, start), start
    return at


def word_before(text: str, offset: int) -> Span:
    """The identifier or number that is the last token before the offset; else an empty span."""
    end = start = skip_back(text, offset)
    while start and text[start - 1] in _OF_WORDS:
        piece = text[max(0, start - _LONG_WORD) : start]
        start -= len(piece) - len(piece.rstrip(_OF_WORDS))
    return Span(start, end)


def is_member(text: str, offset: int) -> bool:
    """Whether what begins at the offset is a member: `.` or `->` comes before it."""
    before = skip_back(text, offset)
    if text.endswith("template", 0, before):
        word = word_before(text, before)
        if text[word.start : word.end] == "template":
            before = skip_back(text, word.start)
    last = text[before - 2 : before]
    return last == "->" or (last[-1:] == "." and last != "..")


def closing_bracket(text: str, opened: int, reach: int = _REACH) -> int | None:
    """The offset of the bracket that closes the one at `opened`; None if there is none nearby."""
    depth = 0
    for match in _BRACKET.finditer(text, opened, opened + reach):
        depth += 1 if match[0] in "([{" else -1
        if depth == 0:
            return match.start()
    return None


class _Open(msgspec.Struct, frozen=True):
    """The innermost open bracket, or those that branches of a conditional directive have there."""

    places: tuple[int, ...]
    around: _Open | None
    depth: int


_Conditional = list["_Open | None"]
"""What was open before a conditional directive, and at the end of each branch so far."""


def closing_brackets(text: str, span: Span) -> dict[int, int]:
    """The offset of the bracket that closes each one in a span, if that is in the span too.

    Only one branch of a conditional directive is compiled: what each of them opens is closed once.
    """
    return _closing(_BRACKET_OR_HASH.finditer(text, *span), text)


def _closing(marks: Iterable[re.Match[str]], text: str) -> dict[int, int]:
    """The offset of what closes each of the brackets among the marks."""
    opened: _Open | None = None
    since: list[int] = []  # What has been opened since the last directive.
    found: dict[int, int] = {}
    conditionals: list[_Conditional] = []
    for match in marks:
        what = match[0]
        if what in "([{":
            since.append(match.start())
        elif what == "#":
            directive = _CONDITIONAL.match(text, match.start())
            if directive:
                for place in since:
                    opened = _Open((place,), opened, _depth(opened) + 1)
                since = []
                opened = _at_directive(directive[1], opened, conditionals)
        elif since:
            found[since.pop()] = match.start()
        elif opened:
            for place in opened.places:
                found.setdefault(place, match.start())
            opened = opened.around
    return found


def _at_directive(
    name: str, opened: _Open | None, conditionals: list[_Conditional]
) -> _Open | None:
    """What is open behind a conditional directive."""
    if name.startswith("if"):
        conditionals.append([opened])
    elif conditionals:
        conditionals[-1].append(opened)
        if name != "endif":
            return conditionals[-1][0]
        before, first, *others = conditionals.pop()
        for other in others:
            first = _joined(first, other, before)
        return first
    return opened


def _joined(first: _Open | None, other: _Open | None, before: _Open | None) -> _Open | None:
    """What one branch leaves open, with what another has in place of it."""
    ours, theirs = (_opened_since(each, before) for each in (first, other))
    joined = before
    for at, places in enumerate(ours):
        same = theirs[at] if at < len(theirs) else ()
        joined = _Open((*places, *same), joined, _depth(joined) + 1)
    return joined if ours else first


def _opened_since(opened: _Open | None, before: _Open | None) -> list[tuple[int, ...]]:
    """What was opened since, from the outside; nothing where what was open has been closed."""
    found = []
    while opened and opened.depth > _depth(before):
        found.append(opened.places)
        opened = opened.around
    return found[::-1] if opened is before else []


def _depth(opened: _Open | None) -> int:
    return opened.depth if opened else 0


@lru_cache(maxsize=4)
def paired_braces(text: str) -> dict[int, int]:
    """Each `{` of a file's whole text -> the `}` that closes it."""
    return _closing(_BRACE_OR_HASH.finditer(text), text)


def closing_brace(text: str, opened: int) -> int | None:
    """The offset of the `}` for a `{`, in a file's whole text: all its braces are paired once."""
    closed = paired_braces(text).get(opened)
    return closed if closed is not None and closed < opened + _REACH else None


def opening_bracket(text: str, closed: int) -> int | None:
    """The offset of the bracket that the one at `closed` closes; None if there is none nearby."""
    depth = 0
    for match in _backwards(_BRACKET, text, max(0, closed + 1 - _REACH), closed + 1):
        depth += 1 if match[0] in ")]}" else -1
        if depth == 0:
            return match.start()
    return None


def enclosing_bracket(text: str, offset: int) -> str:
    """The innermost bracket open at the offset; empty outside all, after a `;`, or far off."""
    depth = 0
    for match in _backwards(_BRACKET_OR_END, text, max(0, offset - _NEAR + 1), offset):
        mark = match[0]
        if mark in ")]}":
            depth += 1
        elif mark in "([{":
            depth -= 1
            if depth < 0:
                return mark
        elif depth == 0:
            return ""
    return ""


def _backwards(marks: re.Pattern[str], text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The marks between two offsets, each of one character, from the last one on."""
    while end > start:
        near = max(start, end - _WINDOW)
        yield from reversed(list(marks.finditer(text, near, end)))
        end = near


def template_start(text: str, closed: int) -> int | None:
    """The `<` of the template argument list that ends with the `>` at `closed`."""
    depth = 0
    at = closed
    while at >= max(0, closed - _REACH):
        char = text[at]
        if char in ")]}":
            opened = opening_bracket(text, at)
            if opened is None:
                return None
            at = opened
        elif char == ">" and text[at - 1] != "-":
            depth += 1
        elif char == "<":
            depth -= 1
            if depth == 0:
                return at
        elif char in ";{(":
            return None
        at -= 1
    return None


_STATEMENT_HEADS = frozenset(("if", "for", "while", "switch", "constexpr", "catch", "else", "do"))


def callee_before(text: str, end: int) -> Span | None:
    """The postfix expression that ends at the last token before `end`, as a launch's kernel does.

    It is made of names, template arguments, `::`, `.`, `->`, calls, subscripts and (*pointer).
    """
    end = start = skip_back(text, end)
    while True:
        at = skip_back(text, start)
        last = text[at - 1 : at]
        if last == ">" and text[at - 2 : at] != "->":
            opened = template_start(text, at - 1)
        elif last and last in ")]":
            opened = opening_bracket(text, at - 1)
        else:
            opened = at
        if opened is None:
            return None
        word = word_before(text, opened)
        if last and last in ")]" and text[skip_back(text, opened) - 1] == ">":
            start = opened
            continue
        if word.start == word.end or text[word.start : word.end] in _STATEMENT_HEADS:
            # A parenthesized expression begins here: (*pointer)
            return Span(opened, end) if last == ")" else None
        if last and last in ")]":
            start = word.end
            continue
        start = word.start
        before = word_before(text, start)
        if text[before.start : before.end] == "template":
            start = before.start
        link = skip_back(text, start)
        if text[link - 2 : link] in ("::", "->", "##"):
            link -= 2
        elif text[link - 1 : link] == ".":
            link -= 1
        else:
            return Span(start, end)
        start = link
        previous = word_before(text, link)
        operand = text[skip_back(text, link) - 1 : skip_back(text, link)]
        if not (operand.isalnum() or (operand and operand in "_>)]")):
            return Span(start, end)
        if text[previous.start : previous.end] in _STATEMENT_HEADS | {"return"}:
            return Span(start, end)


def end_before(text: str, first: int, at: int) -> int:
    """Where the statement before an offset ends; one less than the first offset if nowhere."""
    end = max(first - 1, *(text.rfind(mark, first, at) for mark in ";{}#"))
    if end > first and text[end] == "{" and text[end - 1] in IDENTIFIER_PARTS:
        # `int lane{threadIdx.x % 32};` is one statement.
        end = max(first - 1, *(text.rfind(mark, first, end) for mark in ";{}#"))
    return end


def word_in_brackets_before(text: str, offset: int) -> Span:
    """The word before an operator, which may be the last one in brackets."""
    end = skip_back(text, offset)
    return word_before(text, end - 1 if text[end - 1 : end] == ")" else end)


def may_be_initialized(text: str, name: str) -> bool:
    """Whether something of a name may be declared with a value: a quick look."""
    ends = (skip(text, at + len(name)) for at in occurrences(text, name))
    return any(text.startswith(("=", "{", "("), end) for end in ends)
