"""Kernels that follow the wavefront's size, beside code that assumes warps of 32 lanes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.graph import reached
from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.call_graph import callers
from hipport.source.flow.device_code import counts, is_left_out
from hipport.source.flow.launched_blocks import (
    Launch,
    LaunchedBlock,
    launched_blocks,
    size_given,
)
from hipport.source.flow.values import WAVE, WAVE_LANE, Values
from hipport.source.flow.values_of_file import values_of
from hipport.source.names.constants import definitions, number
from hipport.source.names.variables import variables_declared_by
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, skip

_FACTORS = (regex(r"[*/]\s*\(?\s*(\w+)"), regex(r"(\w+)\s*\)?\s*(?=\*)"))
_SHIFTED = regex(r"(?:>>|<<)\s*5\b")
_NAME = regex(r"(?<![\w.])[A-Za-z_]\w*")
_LONGEST = 400


class Place(NamedTuple):
    """Where 32 lanes are assumed, how, and the line in which the wavefront's size is used."""

    span: Span
    reason: str
    other: str
    severity: Severity | None = None


class Keys(RuleKeys, frozen=True):
    shared: str
    """The word that puts a variable in memory of the block."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each launch and each array that counts on 32 lanes where kernels do not."""
    sizes = [
        use
        for use in unit.of(rule.names)
        if not is_left_out(unit, use.span.start)
        and not (unit.keeps_warps and unit.keeps_warps(use.span.start))
        and not definitions(unit.code, unit.rules, use.name)
    ]
    following = {each.name: each.text for each in unit.warps.facts if each.is_function}
    if not sizes and not following:
        return
    every = values_of(unit)
    calls = callers(unit.code.code, [each.function for each in every])
    found: list[Place] = []
    for each in every:
        start, end = each.function.body
        own = [use.span.start for use in sizes if start < use.span.start < end]
        if own:
            line = str(unit.code.position(own[0]).line)
            found += _arrays(unit, rule, each, line)
            for name in reached(calls, (each.function.name,)):
                following.setdefault(name, line)
    for launched in launched_blocks(unit.declarations, unit.rules):
        if launched.launch.kernel in following:
            found += _launch(unit, launched, following[launched.launch.kernel])
    done: set[int] = set()
    for place in sorted(found):
        if place.span.start not in done and counts(unit, rule, place.span.start):
            done.add(place.span.start)
            symbol = " ".join(unit.code.slice(place.span).split())
            words = {"reason": place.reason, "line": place.other}
            unit.report(rule.id, place.span, symbol, words, severity=place.severity)


def _launch(unit: Unit, launched: LaunchedBlock, other: str) -> Iterator[Place]:
    """A launch whose grid counts 32 threads a warp, or whose block has half a wavefront."""
    text, lanes, launch = unit.code.code, unit.rules.lanes.lanes, launched.launch
    size = launched.threads
    if size is not None and size < 2 * lanes:
        place = text.find(launch.block, launch.offset)
        end = place + len(launch.block) if place >= 0 else launch.offset
        span = Span(max(place, launch.offset), end)
        yield Place(span, f"the block has {size} threads", other)
        return
    grid = _grid(unit, launch)
    if grid and _has_factor(unit, text[slice(*grid)]):
        yield Place(grid, "the grid counts 32 threads", other)


def _grid(unit: Unit, launch: Launch) -> Span | None:
    """Where the sizes of a launch's grid are written."""
    grid = launch.grid.strip()
    if grid.isidentifier():
        return size_given(unit.declarations, unit.rules, grid, launch.offset)
    start = unit.code.code.find(grid, launch.offset) if grid else -1
    return Span(start, start + len(grid)) if start >= 0 else None


def _arrays(unit: Unit, rule: FindingRule, each: Values, other: str) -> Iterator[Place]:
    """Arrays in shared memory whose bound has a factor of 32, and whose index follows the size."""
    text, shared = unit.code.code, rule.read(Keys).shared
    for at in occurrences(text, shared, *each.function.body):
        for array in variables_declared_by(unit.declarations, Span(at, at + len(shared))):
            if not array.bounds:
                continue
            name = text[slice(*array.name)]
            span = Span(array.bounds[0].start, array.bounds[-1].end)
            bounds = _subscripts(text, span.start)
            wide = [at for at, bound in enumerate(bounds) if _counts_lanes(unit, bound, bounds)]
            if wide and _is_followed(unit, each, name, wide, span.end):
                yield Place(span, f"`{name}` has room for warps of 32", other)


def _counts_lanes(unit: Unit, bound: str, bounds: list[str]) -> bool:
    """Whether a bound is made of 32 lanes: 32 times something, or a count divided by 32."""
    lanes = unit.rules.lanes.lanes
    return _has_factor(unit, bound) or (
        len(bounds) > 1 and number(unit.code, unit.rules, bound) == lanes
    )


def _has_factor(unit: Unit, text: str) -> bool:
    lanes = unit.rules.lanes.lanes
    text = text[:_LONGEST]
    if _SHIFTED.search(text):
        return True
    return any(
        number(unit.code, unit.rules, match[1]) == lanes
        for factor in _FACTORS
        for match in factor.finditer(text)
    )


def _is_followed(unit: Unit, each: Values, name: str, wide: list[int], start: int) -> bool:
    """Whether an index of an array depends on the wavefront's size."""
    text, sizes = unit.code.code, unit.rules.lanes.warp_size
    for match in re.finditer(rf"\b{name}\s*(?=\[)", text[start : each.function.body.end]):
        indices = _subscripts(text, start + match.end())
        for index in (indices[at] for at in wide if at < len(indices)):
            kinds = each.kinds(index, start + match.start())
            if kinds & {WAVE, WAVE_LANE} or any(size in _NAME.findall(index) for size in sizes):
                return True
    return False


def _subscripts(text: str, at: int) -> list[str]:
    """The contents of brackets that follow one another."""
    found: list[str] = []
    at = skip(text, at)
    while text.startswith("[", at) and (closed := closing_bracket(text, at)):
        found.append(text[at + 1 : closed])
        at = skip(text, closed + 1)
    return found
