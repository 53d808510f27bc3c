"""Shuffles in a loop that lanes of a warp leave at different turns: nothing is read from those."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.branches import Branch, branches_in, enclosing
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import arguments_in, functions
from hipport.source.flow.guards import LANES, reach
from hipport.source.flow.values import VARYING, Values, values
from hipport.source.names.constants import number
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.text.required_texts import has_any

_LOOPS = ("for", "while")
_LONGEST = 600
_COMPARED = regex(r"(?<![<>=!-])(?:[<>]=?)(?![<>=])")
_STEP = regex(r"\s*(?:(?:\+\+|--)\s*(\w+)|(\w+)\s*(?:\+\+|--|[+-]=\s*1\b|(?:<<|>>|[*/])=.*))\s*")
_VARIABLE = regex(r"\s*([A-Za-z_]\w*)\s*")
_WORD = regex(r"(?<![\w.])[A-Za-z_]\w*")


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the shuffles in loops whose number of turns differs between the lanes."""
    text = unit.code.code
    uses = {use.span.start: use for use in unit.of(rule.names) if not use.is_member}
    starts = sorted(uses)
    if not starts or not has_any(text, _LOOPS):
        return
    for index, function in enumerate(functions(unit.code, unit.rules)):
        first, last = (bisect_left(starts, at) for at in function.body)
        if first == last:
            continue
        loops = [each for each in branches_in(unit.code, function.body) if each.is_loop]
        if not loops:
            continue
        each, uneven = values(unit.code, unit.rules)[index], dict[int, bool]()
        for offset, around in enclosing(loops, starts[first:last]):
            loop = next((one for one in around if _is_uneven(each, one, uneven)), None)
            if loop and _is_over_warp(unit, uses[offset]) and counts(unit, rule, offset):
                words = {"loop": _head(text, loop)}
                unit.report(rule.id, uses[offset].span, uses[offset].name, words)


def _is_uneven(each: Values, loop: Branch, known: dict[int, bool]) -> bool:
    if loop.head not in known:
        known[loop.head] = any(_differs(each, loop, *sides) for sides in _comparisons(each, loop))
    return known[loop.head]


def _comparisons(each: Values, loop: Branch) -> Iterator[tuple[str, str, str]]:
    """The two sides of each comparison that ends a loop, and the whole of it."""
    condition = each.code.code[slice(*loop.condition)]
    if loop.keyword == "for":
        condition = [*condition.split(";"), ""][1]
    for part in condition.split("&&") if "||" not in condition else ():
        compared = list(_COMPARED.finditer(part))
        if len(compared) == 1:
            yield part[: compared[0].start()], part[compared[0].end() :], part


def _differs(each: Values, loop: Branch, one: str, two: str, whole: str) -> bool:
    """Whether the turn at which a comparison fails depends on the lane.

    Either what a variable is compared with does, or that with which a variable begins whose steps
    do not lead from one warp to another. Where both do, as many turns may be between them.
    """
    at = loop.condition.end
    kinds = [each.kinds(side, at) & VARYING for side in (one, two)]
    varying = [bool(each) for each in kinds]
    # `threadIdx.x - lane` is the same for a whole warp.
    if varying[0] == varying[1] or len(kinds[0] | kinds[1]) > 1:
        return False
    bound, index = (one, two) if varying[0] else (two, one)
    counted = _VARIABLE.fullmatch(index)
    if counted and _changes(each, loop, counted[1]):
        return (
            not any(_changes(each, loop, name) for name in _WORD.findall(bound))
            and reach(each, whole, at) == LANES
        )
    counted = _VARIABLE.fullmatch(bound)
    step = _STEP.fullmatch(each.code.code[slice(*loop.condition)].rpartition(";")[2])
    return bool(loop.keyword == "for" and counted and step and counted[1] in (step[1], step[2]))


def _changes(each: Values, loop: Branch, name: str) -> bool:
    """Whether a loop changes a variable, in its body or in its last part."""
    text = each.code.code
    start = loop.condition.start
    if loop.keyword == "for":
        start = text.find(";", *loop.condition) + 1
    begin, end = min(start, loop.body.start), max(loop.body.end, loop.condition.end)
    changed = regex(
        rf"(?<![\w.>])(?:(?:\+\+|--)\s*{name}\b|{name}\s*(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=)))"
    )
    return changed.search(text, begin, end) is not None


def _is_over_warp(unit: Unit, use: Use) -> bool:
    """Whether a shuffle is not one within parts of a warp, which may leave the loop together."""
    text = unit.code.code
    opened = skip(text, use.span.end)
    closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
    if closed is None or closed - opened > _LONGEST:
        return False
    arguments = arguments_in(text[opened + 1 : closed])
    whole = 4 if use.name.endswith("_sync") else 3
    if len(arguments) < whole:
        return True
    lanes, width = unit.rules.lanes, arguments[-1].strip()
    return width in lanes.warp_size or number(unit.code, unit.rules, width) == lanes.lanes


def _head(text: str, loop: Branch) -> str:
    keyword = "do … while" if loop.keyword == "do" else loop.keyword
    return f"{keyword} ({' '.join(text[slice(*loop.condition)].split())})"
