"""Masks of all lanes in code for HIP, whose functions trap where not all of them are active."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from hipport.graph import reached
from hipport.lazy_regex import regex
from hipport.model import Severity
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.branches import Branch, branches_in, enclosing
from hipport.source.flow.call_graph import callers
from hipport.source.flow.device_code import counts, is_left_out
from hipport.source.flow.device_functions import arguments_in
from hipport.source.flow.guards import HALVES, LANES, reach
from hipport.source.flow.launched_blocks import Block, blocks
from hipport.source.flow.values import Values
from hipport.source.flow.values_of_file import values_of
from hipport.source.names.constants import definitions
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip

_LEAVES = regex(r"\b(return|continue|break)\b")
_LONGEST = 600
_DEEPEST = 5
_ALL, _HALF = "64", "32"


class Place(NamedTuple):
    """A call with a mask of all lanes, and what keeps some of them from it."""

    use: Use
    ones: str
    divided: str
    reason: str
    is_certain: bool = False


class Keys(RuleKeys, frozen=True):
    divided: str = ""
    otherwise: bool = False


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the calls for which the rule's `divided` holds; if `otherwise`, one of the others."""
    keys = rule.read(Keys)
    places = [place for place in _places(unit, rule) if counts(unit, rule, place.use.span.start)]
    wanted = keys.divided
    if not wanted:
        is_reported = any(place.divided for place in places) and keys.otherwise
        places = [] if is_reported else places[: 1 if keys.otherwise else None]
    for place in places:
        if not wanted or place.divided == wanted:
            severity = Severity.BLOCKER if place.is_certain else None
            words = {"reason": place.reason}
            unit.report(rule.id, place.use.span, place.use.name, words, severity=severity)


def _places(unit: Unit, rule: FindingRule) -> Iterator[Place]:
    uses = {
        use.span.start: use
        for use in unit.of(rule.names)
        if not is_left_out(unit, use.span.start)
        and not (unit.keeps_warps and unit.keeps_warps(use.span.start))
    }
    if not uses:
        return
    starts = sorted(uses)
    done: set[int] = set()
    every = values_of(unit)
    partial: dict[str, Block] | None = None
    for each in every:
        first, last = (bisect_left(starts, at) for at in each.function.body)
        done.update(starts[first:last])
        inside = {at: uses[at] for at in starts[first:last] if _ones(unit, each, uses[at])}
        if inside:
            partial = _partial_blocks(unit, every) if partial is None else partial
            yield from _places_in(unit, each, partial.get(each.function.name), inside)
    for at, use in uses.items():
        if at not in done and (ones := _ones(unit, None, use)):
            yield Place(use, ones, "", "")


def _places_in(
    unit: Unit, each: Values, block: Block | None, uses: dict[int, Use]
) -> Iterator[Place]:
    text = unit.code.code
    found = branches_in(unit.code, each.function.body)
    reaches = {branch.head: _reach(each, branch) for branch in found}
    left = list(_left(text, found, reaches, each.function.body.end))
    reported: set[str] = set()
    for offset, around in enclosing(found, uses):
        ones = _ones(unit, each, uses[offset])
        reasons = [
            (reaches[branch.head], _condition(unit, branch))
            for branch in around
            if reaches[branch.head]
        ]
        reasons += [
            (how, f"some have left in line {unit.code.position(branch.head).line}")
            for branch, how, end in left
            if branch.end <= offset < end
        ]
        place = _place(unit, uses[offset], ones, reasons, block)
        # Of the calls that miss the same lanes the first.
        if not place.divided or place.reason not in reported:
            reported.add(place.reason)
            yield place


def _place(
    unit: Unit, use: Use, ones: str, reasons: list[tuple[str, str]], block: Block | None
) -> Place:
    """The strongest of the reasons for a call."""
    lanes = unit.rules.lanes.lanes
    if block:
        line = unit.code.position(block.offset).line
        reason = f"the block has {block.threads} threads (line {line})"
        if block.threads % lanes:
            return Place(use, ones, LANES, reason, True)
        if ones == _ALL:
            return Place(use, ones, HALVES, reason, True)
    for how in (LANES, HALVES):
        reason = next((words for each, words in reasons if each == how), "")
        if reason and not (how == HALVES and ones == _HALF):
            return Place(use, ones, how, reason)
    if ones == _HALF and not block and not reasons:
        return Place(use, ones, HALVES, f"the mask has {lanes} ones")
    return Place(use, ones, "", "")


def _partial_blocks(unit: Unit, every: list[Values]) -> dict[str, Block]:
    """Function -> a block that ends inside a wavefront, of itself or of a kernel that calls it."""
    wavefront = 2 * unit.rules.lanes.lanes
    own: dict[str, Block] = {}
    for each in every:
        if each.function.name not in own:
            known = blocks(unit.declarations, unit.rules, each.function)
            partial = next((block for block in known if block.threads % wavefront), None)
            if partial:
                own[each.function.name] = partial
    if not own:
        return {}
    calls = callers(unit.code.code, [each.function for each in every])
    order = {name: number for number, name in enumerate(own)}
    found = {name: own.keys() & reached(calls, (name,)) for name in calls}
    return {name: own[min(near, key=order.__getitem__)] for name, near in found.items() if near}


def _reach(each: Values, branch: Branch) -> str:
    condition = each.code.code[slice(*branch.condition)]
    if branch.keyword == "for":
        condition = [*condition.split(";"), ""][1]
    return reach(each, condition, branch.condition.end) if branch.keyword != "switch" else ""


def _left(
    text: str, found: list[Branch], reaches: dict[int, str], end: int
) -> Iterator[tuple[Branch, str, int]]:
    """The branches in which some lanes leave, how they are divided, and until where they miss."""
    for branch in found:
        match = _LEAVES.search(text, *branch.body) if branch.keyword == "if" else None
        if match is None or not reaches[branch.head]:
            continue
        inside = [
            each.body.end
            for each in found
            if each.is_loop and each.body.start <= branch.head < each.body.end
        ]
        until = end if match[1] == "return" else min(inside, default=branch.end)
        yield branch, reaches[branch.head], until


def _condition(unit: Unit, branch: Branch) -> str:
    line = unit.code.position(branch.head).line
    condition = " ".join(unit.code.slice(branch.condition).split())
    return f"`{branch.keyword} ({condition})` in line {line} divides them"


def _ones(unit: Unit, each: Values | None, use: Use) -> str:
    """How many ones the mask of a call has, if all of them: "64", "32" or ""."""
    text = unit.code.code
    opened = skip(text, use.span.end)
    closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
    if use.is_member or closed is None or closed - opened > _LONGEST:
        return ""
    arguments = arguments_in(text[opened + 1 : closed])
    return _ones_of(unit, each, arguments[0], use.span.start) if arguments else ""


def _ones_of(unit: Unit, each: Values | None, mask: str, offset: int, depth: int = 0) -> str:
    plain = "".join(mask.split())
    while plain.startswith("(") and closing_bracket(plain, 0) == len(plain) - 1:
        plain = plain[1:-1]
    for ones, shape in unit.rules.lanes.masks.items():
        if re.fullmatch(shape, plain):
            return str(ones)
    if not plain.isidentifier() or depth > _DEEPEST:
        return ""
    texts = definitions(unit.code, unit.rules, plain)
    last = each.last(plain, offset) if each else None
    if each and last and last.span.start < last.span.end:
        texts = [unit.code.code[slice(*last.span)]]
    elif each:
        given = [one.default for one in each.function.parameters if one.name == plain]
        texts = given or texts
    found = {_ones_of(unit, each, one, offset, depth + 1) for one in texts}
    return found.pop() if len(found) == 1 else ""
