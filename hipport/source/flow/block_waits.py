"""Where a thread waits for its block: barriers, and calls of what has one.

That are functions of the file, lambdas of the same function, and macros.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

import msgspec

from hipport.graph import reached
from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.flow.body_text import lambdas
from hipport.source.flow.call_graph import callers
from hipport.source.flow.device_functions import Function
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_brace, occurrences, skip
from hipport.source.text.quick_search import matches

_MACRO = regex(r"\s*([A-Za-z_]\w*)")


class Wait(msgspec.Struct, frozen=True):
    """A barrier, or a call of what has one."""

    span: Span
    name: str


def waits(
    unit: Unit, names: frozenset[str], every: list[Function], groups: str, syncs: str
) -> list[Wait]:
    """All of a file, in order: barriers of these names, those of groups, and calls."""
    barriers = [Wait(use.span, use.name) for use in unit.of(names)]
    barriers += _of_macros(unit, barriers)
    barriers += _of_groups(unit.code.code, every, groups, syncs)
    if not barriers:
        return []
    barriers.sort(key=_start)
    found = [*barriers, *_of_lambdas(unit, every, barriers), *_calls(unit, every, barriers)]
    return sorted(found, key=_start)


def _start(each: Wait) -> int:
    return each.span.start


def _of_macros(unit: Unit, barriers: list[Wait]) -> Iterator[Wait]:
    """The uses of macros that stand for a barrier."""
    code = unit.code
    names: set[str] = set()
    for each in barriers:
        directive = code.directive_at(each.span.start)
        if directive and directive.keyword == "define":
            defined = _MACRO.match(code.code, directive.body.start)
            names |= {defined[1]} if defined else set()
    for name in sorted(names):
        for at in occurrences(code.code, name):
            if code.directive_at(at) is None:
                yield Wait(Span(at, at + len(name)), name)


def _of_groups(text: str, every: list[Function], groups: str, syncs: str) -> Iterator[Wait]:
    """The barriers of groups that are the block, as far as a function says so."""
    for match in matches(syncs, text, re.NOFLAG) if "sync" in text else ():
        around = (each for each in every if each.body.start <= match.start() < each.body.end)
        function, group = next(around, None), match["group"] or match["given"]
        if function is None:
            continue
        before = text[function.head.start : match.start()] if group else ""
        if not group or any(each["name"] == group for each in re.finditer(groups, before)):
            symbol = match[0].partition("(")[0] if match["group"] else match[0]
            yield Wait(Span(*match.span()), "".join(symbol.split()))


def _of_lambdas(unit: Unit, every: list[Function], barriers: list[Wait]) -> Iterator[Wait]:
    """The calls of a function's lambdas that wait at a barrier themselves."""
    text, starts = unit.code.code, [each.span.start for each in barriers]
    for function in every:
        body = function.body
        if not _is_within(starts, body):
            continue
        for each in unit.code.of_part(lambdas, body):
            opened = text.find("{", body.start + each.end)
            closed = closing_brace(text, opened) if opened >= 0 else None
            if closed is None or not _is_within(starts, Span(opened, closed)):
                continue
            for at in occurrences(text, each.name, closed, body.end):
                if text.startswith("(", skip(text, at + len(each.name))):
                    yield Wait(Span(at, at + len(each.name)), each.name)


def _calls(unit: Unit, every: list[Function], barriers: list[Wait]) -> Iterator[Wait]:
    """The calls of functions that wait at a barrier, themselves or in others."""
    text, starts = unit.code.code, [each.span.start for each in barriers]
    own = [each for each in every if _is_within(starts, each.body)]
    if all(each.is_kernel for each in own):
        return
    waiting = reached(callers(text, every), [each.name for each in own])
    names, of_own = [each.name for each in every], [each.name for each in own]
    for name in waiting:
        # Of functions with one name, which one is called is not known.
        if names.count(name) > max(of_own.count(name), 1):
            continue
        for at in occurrences(text, name):
            if text.startswith(("(", "<"), skip(text, at + len(name))):
                yield Wait(Span(at, at + len(name)), name)


def _is_within(starts: list[int], body: Span) -> bool:
    return bisect_left(starts, body.start) < bisect_left(starts, body.end)
