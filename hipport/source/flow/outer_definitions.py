"""What a file defines outside of function bodies: functions, classes, constants, and macros."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.device_functions import definition
from hipport.source.text.brackets import closing_brace, occurrences, skip, template_start
from hipport.source.text.source_text import Code

_MARK = regex(r"[;{}#]")
_SPACE_OF_NAMES = regex(r"\s*(?:inline\s+)?namespace\b|\s*extern\s*\"")
_EXTERN = regex(r"\bextern\b")
_ANONYMOUS = regex(r"\s*namespace\s*\Z")
_TEMPLATE = regex(r"\s*template\s*<")
_CLASS = regex(
    r"\s*(?:typedef\s+)?(?:class|struct|union)\s+(?:\w+\s*\([^()]*\)\s*|\w+\s+)*?(\w+)\s*"
    r"(?:<.*>\s*)?(?:final\s*)?(?::(?!:).*)?\Z",
    re.DOTALL,
)
_CONSTANT = regex(r"\b(?:const|constexpr|static)\b[^()=]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*=")
_TOKEN = regex(r"[^\s\\]")
_MACRO_WITH_TEXT = regex(r"[ \t]*(\w+)(?:\([^()]*\))?[\s\\]+\S")
_DEEPEST = 20


class Outer(msgspec.Struct, frozen=True):
    """A definition: `name` is where its name is, `span` all of it."""

    kind: str
    """`function`, `class`, `constant` or `macro`."""
    text: str
    """The name."""
    name: Span
    span: Span
    head: str
    """A function's or class's text before its body."""
    is_extern: bool = False
    is_hidden: bool = False
    """Whether it is in a namespace without a name."""
    around: str = ""
    """The class that it is a member of."""


class Nested:
    """Definitions of a file, in order, by what is inside of them."""

    def __init__(self, definitions: Iterable[Outer] = ()) -> None:
        self._all = list(definitions)
        self._starts = [each.span.start for each in self._all]
        self._around = list(self._parents())

    def _parents(self) -> Iterator[int]:
        """Of each definition the number of the one around it; -1 for none."""
        opened: list[int] = []
        for number, each in enumerate(self._all):
            while opened and self._all[opened[-1]].span.end <= each.span.start:
                opened.pop()
            yield opened[-1] if opened else -1
            opened.append(number)

    def around(self, offset: int) -> Iterator[Outer]:
        """The definitions that an offset is in, the innermost first."""
        number = bisect_right(self._starts, offset) - 1
        while number >= 0:
            each = self._all[number]
            if offset < each.span.end:
                yield each
            number = self._around[number]


class _Scope(msgspec.Struct, frozen=True):
    is_extern: bool = False
    is_hidden: bool = False
    around: str = ""
    depth: int = 0


@lru_cache(maxsize=2)
def outer_definitions(code: Code, rules: RuleSet) -> list[Outer]:
    """All of them, by their beginnings; of those inside each other the outer one first."""
    found = [*_in_scope(code, Span(0, len(code.code)), _Scope(), rules), *_macros(code)]
    return sorted(found, key=lambda each: (each.span.start, -each.span.end))


def _macros(code: Code) -> Iterator[Outer]:
    """The macros that stand for something."""
    for each in code.directives:
        match = _MACRO_WITH_TEXT.match(code.code, *each.body) if each.keyword == "define" else None
        if match:
            yield Outer("macro", match[1], Span(*match.span(1)), each.span, "")


def _in_scope(code: Code, span: Span, scope: _Scope, rules: RuleSet) -> Iterator[Outer]:
    text = code.code
    start = at = span.start
    while match := _MARK.search(text, at, span.end):
        at = match.end()
        if match[0] == "#":
            directive = code.directive_at(match.start())
            if directive:
                at = directive.span.end
                start = at if not text[start : match.start()].strip() else start
        elif match[0] == "{":
            closed = closing_brace(text, match.start())
            if closed is None or closed >= span.end:
                return
            inside = Span(match.end(), closed)
            found = list(_with_body(code, Span(start, match.start()), inside, scope, rules))
            yield from found
            at = closed + 1
            is_whole = found or _SPACE_OF_NAMES.match(text, start, match.start())
            start = at if is_whole else start
        else:
            if match[0] == ";":
                yield from _constant(text, Span(start, match.end()), scope)
            start = at


def _with_body(
    code: Code, head: Span, inside: Span, scope: _Scope, rules: RuleSet
) -> Iterator[Outer]:
    """What braces belong to: the functions or the class, and what is in a class or namespace."""
    text = code.code[slice(*head)]
    whole = Span(head.start, inside.end + 1)
    if _SPACE_OF_NAMES.match(text):
        inner = _Scope(
            scope.is_extern or bool(_EXTERN.search(text)),
            scope.is_hidden or bool(_ANONYMOUS.match(text)),
            scope.around,
            scope.depth + 1,
        )
        yield from _in_scope(code, inside, inner, rules) if inner.depth < _DEEPEST else ()
        return
    after = _first(code.code, Span(_behind_template(code.code, head), head.end))
    if match := _CLASS.match(code.code, after, head.end):
        name = Span(*match.span(1))
        if not code.code.startswith("<", skip(code.code, name.end)):
            yield _outer("class", code, name, whole, head, scope)
        inner = _Scope(scope.is_extern, scope.is_hidden, match[1], scope.depth + 1)
        yield from _in_scope(code, inside, inner, rules) if inner.depth < _DEEPEST else ()
        return
    if "#" in text or "(" not in text:
        return
    attributes = (*rules.lanes.attributes, *rules.branches.unused.attributes)
    function = definition(code.code, after, attributes)
    if function and function.body.start == inside.start - 1 and function.name.isidentifier():
        end = function.inside.start - 1
        at = max(occurrences(code.code, function.name, after, end), default=None)
        if at is not None:
            name = Span(at, at + len(function.name))
            yield _outer("function", code, name, whole, head, scope)


def _outer(kind: str, code: Code, name: Span, span: Span, head: Span, scope: _Scope) -> Outer:
    text = code.code
    return Outer(
        kind,
        text[slice(*name)],
        name,
        Span(_first(text, span), span.end),
        text[slice(*head)],
        scope.is_extern or bool(_EXTERN.search(text, *head)),
        scope.is_hidden,
        scope.around,
    )


def _first(text: str, span: Span) -> int:
    """Where the first token of a span is: comments before it may be long."""
    match = _TOKEN.search(text, *span)
    return match.start() if match else span.end


def _behind_template(text: str, head: Span) -> int:
    """Where a head goes on behind its `template <…>`."""
    at = head.start
    while match := _TEMPLATE.match(text, at, head.end):
        closed = next(
            (
                place
                for place in _closing_angles(text, match.end(), head.end)
                if template_start(text, place) == match.end() - 1
            ),
            None,
        )
        if closed is None:
            return at
        at = closed + 1
    return at


def _closing_angles(text: str, at: int, end: int) -> Iterator[int]:
    while (at := text.find(">", at, end)) >= 0:
        yield at
        at += 1


def _constant(text: str, statement: Span, scope: _Scope) -> Iterator[Outer]:
    opened = text.find("{", *statement)
    match = _CONSTANT.search(text, statement.start, opened if opened >= 0 else statement.end)
    if match and not _EXTERN.search(text, statement.start, match.start(1)):
        yield Outer(
            "constant",
            match[1],
            Span(*match.span(1)),
            Span(_first(text, statement), statement.end),
            "",
            scope.is_extern,
            scope.is_hidden,
            scope.around,
        )
