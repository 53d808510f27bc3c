"""Sets of a wavefront's lanes, and lanes of a warp of 32, that meet through variables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.body_text import WORD
from hipport.source.flow.device_functions import functions
from hipport.source.flow.values import (
    LANE,
    SET,
    WAVE_LANE,
    Assignment,
    Values,
    values,
    words_of_definitions,
)
from hipport.source.flow.values_of_file import are_kept
from hipport.source.names.declared_types import type_like
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.source_text import Code

_BIT = regex(
    r"(?<![\w.])(?:0x0*)?1(?P<suffix>[uUlL]*)\s*\)?\s*<<\s*(?:(?P<opened>\()|(?P<name>\w+))"
)
_CAST = regex(r"\((?:unsigned|int|uint32_t|long|\s|std::)+\)|static_cast\s*<[^<>]*>")
_OTHER = regex(r"[=!<>]=|[<>?!+*/%]|-|&&|\|\||\b\d")
_CALL = regex(r"\b\w+\s*\(")
_NAME = regex(r"[A-Za-z_]\w*")
_MAKES_LANE = regex(r"[%&]|-")


def native(unit: Unit) -> Iterator[Values]:
    """The functions of HIP code that use a set of lanes; only in an audit, as it takes long."""
    if not (unit.rules.is_audit or unit.options.reports_cuda):
        return
    keeps = unit.keeps_warps or (lambda _: False)
    if all(keeps(each.body.start) for each in functions(unit.code, unit.rules)):
        return
    for each in with_sets(unit.code, unit.rules, is_kept=are_kept(unit)):
        if not keeps(each.function.body.start) and any(
            SET in one.kinds for one in _assignments(each)
        ):
            yield each


def bits_of_lanes(unit: Unit, *, is_wide: bool | None = None) -> Iterator[tuple[Values, Span, str]]:
    """Each `1 << lane` of 64, 32 or any bits in a function with sets: its place, and the lane."""
    text = unit.code.code
    for each in native(unit):
        for match in _BIT.finditer(text, *each.function.body):
            if is_wide not in (None, "l" in match["suffix"].lower()):
                continue
            closed = closing_bracket(text, match.end() - 1) if match["opened"] else None
            operand = text[match.end() : closed] if closed else match["name"] or ""
            kinds = each.kinds(operand, match.start())
            if LANE in kinds or (WAVE_LANE in kinds and is_wide is False):
                end = closed + 1 if closed else match.end()
                yield each, Span(match.start(), end), operand.strip()


def makers_of_lanes(each: Values, operand: str) -> Iterator[Span]:
    """Where the lane in an operand is made of a thread's index.

    Where its variable is not given one, as a parameter is not, all places in the function.
    """
    text = each.code.code
    named = [each.variables[name] for name in _NAME.findall(operand) if name in each.variables]
    for every in (named, each.variables.values()):
        found = [
            one.span
            for assignments in every
            for one in assignments
            if LANE in one.kinds and _MAKES_LANE.search(text[slice(*one.span)])
        ]
        if found:
            yield from found
            return


def narrow_sets(unit: Unit, types: str) -> Iterator[Span]:
    """Assignments of a set of lanes to a variable that was declared with one of the types."""
    text = unit.code.code
    for each in native(unit):
        for name, assignments in each.variables.items():
            for one in assignments:
                if SET not in one.kinds or not _is_whole_set(text[slice(*one.span)]):
                    continue
                if type_like(unit.declarations, name, one.offset, types):
                    is_given = one.span.start == one.span.end
                    yield _parameter(each, name) if is_given else Span(one.offset, one.span.end)


def _parameter(each: Values, name: str) -> Span:
    """Where a parameter is declared: that of the function, or else of a lambda in it."""
    function = each.function
    found = re.compile(rf"\b{name}\b").search(
        each.code.code, function.head.start, function.body.end
    )
    return Span(*found.span()) if found else function.head


def bits_counted(unit: Unit, shape: str) -> Iterator[Span]:
    """Calls of functions of 32 bits, which `shape` finds, with a set that a variable held."""
    text = unit.code.code
    for each in native(unit):
        for match in re.finditer(shape, text[slice(*each.function.body)]):
            start = each.function.body.start
            opened = start + match.start("opened")
            closed = closing_bracket(text, opened)
            argument = text[opened + 1 : closed] if closed else ""
            if SET in each.kinds(argument, opened) and ">>" not in argument:
                yield Span(start + match.start("symbol"), start + match.end("symbol"))


def _is_whole_set(expression: str) -> bool:
    """Whether an expression is a set itself, and not what is asked or counted of one."""
    at = skip(expression, 0)
    while match := _CALL.search(expression, at):
        closed = closing_bracket(expression, match.end() - 1)
        if closed is None:
            return False
        expression = expression[: match.start()] + "set" + expression[closed + 1 :]
    return not _OTHER.search(_CAST.sub("", expression))


def _assignments(each: Values) -> Iterator[Assignment]:
    for every in each.variables.values():
        yield from every


def with_sets(code: Code, rules: RuleSet, *, is_kept: bool = False) -> list[Values]:
    """Those that may use a set of lanes: they, or their callers, name what makes one."""
    words, makers = words_of_definitions(code), rules.lanes.set_functions
    while more := {name for name in words.keys() - makers if not makers.isdisjoint(words[name])}:
        makers |= more
    places = [at for name in makers & code.words for at in occurrences(code.code, name)]
    every = values(code, rules, is_kept=is_kept) if places else []
    for name in every[0].returned.made_of(makers) if every and every[0].returned else ():
        places += occurrences(code.code, name)
    naming = [
        each
        for each in every
        if any(each.function.body.start <= at < each.function.body.end for at in places)
    ]
    called = {name for each in naming for name in WORD.findall(code.code, *each.function.body)}
    return [each for each in every if each in naming or each.function.name in called]
