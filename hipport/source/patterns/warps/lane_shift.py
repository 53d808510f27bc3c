"""Shifts of 32 bits by what is 32 in one lane: `lanes << (32 - lane)`, `1u << (lane + 1)`.

PTX gives 0 for a number that is shifted by all its bits. AMD's instructions take the lowest five
bits of the distance, and leave the number as it is. Two shifts by less do what CUDA's one does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import Function, functions
from hipport.source.flow.operands import operand_before
from hipport.source.flow.values import LANE, WAVE_LANE, Values, values
from hipport.source.names.constants import number
from hipport.source.names.declared_types import type_like
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.warps.ported_warps import is_hip

_FINDING = "HP-WARP-417"
_SHIFT = regex(
    r"(?P<mark><<|>>)(?P<stored>=?)\s*(?P<opened>\()?\s*"
    r"(?:(?P<all>\w+)\s*-\s*(?P<lane>\w+|(?=\())|(?P<one>\w+(?:\(\s*\))?|\([^()]*\))\s*\+\s*1[uU]?(?!\w))"
)
_CALL = regex(r"\s*\(\s*\)")
_NAME = regex(r"[A-Za-z_]\w*")
_RETURNED = regex(r"\{\s*return\b(?P<value>[^;{}]*);\s*\}")
_OPERATOR = regex(r"[%&]")
_LOOSE = regex(r"[|^?:,=<>!]|&&")
_SUM = regex(r"[-+&]")
_GOES_ON = regex(r"\s*(?:[-+*/%.\[(]|->)")
_DEEPEST = 3
"""How many names are followed to what a lane is made of."""


class Keys(RuleKeys, frozen=True):
    lanes: Regex
    """Names of variables and functions that are the number of a lane."""
    wide: Regex
    """Types of more than 32 bits."""
    wide_number: Regex
    """The end of a text that is a number of such a type."""


class Shift(NamedTuple):
    span: Span
    """From the operator to the end of its right operand."""
    mark: Span
    lane: Span
    all: Span | None
    """What the lane is taken off; None where one is added to it."""
    is_stored: bool


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the shifts by what may be a lane, but is not seen to be one."""
    keys = rule.read(Keys)
    for each, shift in _shifts(unit, keys):
        is_named = not _is_edited(unit, each, shift) and _may_be_lane(each, keys, shift)
        if is_named and not _is_guarded(each, shift) and counts(unit, rule, shift.span.start):
            unit.report(rule.id, shift.span, " ".join(unit.code.slice(shift.span).split()))


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Shift in two steps, where the distance is certainly made of the lane of a warp of 32."""
    text = unit.code.code
    for each, shift in list(_shifts(unit, unit.rules.findings[_FINDING].read(Keys))):
        if not _is_edited(unit, each, shift):
            continue
        mark = text[slice(*shift.mark)]
        if shift.all:
            begin = Span(shift.mark.end, shift.mark.end)
            less = text[slice(*shift.all)]
            new = str(int(less.rstrip("uU")) - 1) if less[0].isdigit() else f"{less} - 1"
            edits = [(begin, f" 1 {mark}"), (shift.all, new)]
        else:
            begin = Span(shift.mark.end, shift.lane.start)
            edits = [(begin, f" 1 {mark} "), (Span(shift.lane.end, shift.span.end), "")]
        rewrite(unit, rule.name.replace("_", "-"), edits, [shift.span])


def _shifts(unit: Unit, keys: Keys) -> Iterator[tuple[Values, Shift]]:
    """The shifts by all bits less a lane, or by a lane and one, in each function of the device."""
    text = unit.code.code
    places = [] if is_hip(unit.code, unit.rules) else list(_SHIFT.finditer(text))
    for index, function in enumerate(functions(unit.code, unit.rules) if places else ()):
        for match in places:
            if not function.body.start <= match.start() < function.body.end:
                continue
            shift = _shift(unit, match)
            if shift and not _is_wide(unit, keys, shift):
                yield values(unit.code, unit.rules)[index], shift


def _shift(unit: Unit, match: re.Match[str]) -> Shift | None:
    """The whole of a shift; None if more than one number and a lane is in its distance."""
    text, group = unit.code.code, "lane" if match["all"] else "one"
    lane = Span(*match.span(group))
    end = match.end()
    if match["all"]:
        of = number(unit.code, unit.rules, match["all"])
        if of != unit.rules.lanes.lanes and match["all"] not in unit.rules.lanes.warp_size:
            return None
        lane = _whole(text, lane)
        end = lane.end
    if match["opened"]:
        end = skip(text, end)
        if not text.startswith(")", end):
            return None
        end += 1
    if _GOES_ON.match(text, end):
        return None
    return Shift(
        Span(match.start(), end),
        Span(*match.span("mark")),
        lane,
        Span(*match.span("all")) if match["all"] else None,
        bool(match["stored"]),
    )


def _whole(text: str, lane: Span) -> Span:
    """A lane with its parentheses: those around it, or those of a call without arguments."""
    if lane.start == lane.end and text.startswith("(", lane.start):
        closed = closing_bracket(text, lane.start)
        return Span(lane.start, closed + 1) if closed else lane
    called = _CALL.match(text, lane.end)
    return Span(lane.start, called.end()) if called else lane


def _is_wide(unit: Unit, keys: Keys, shift: Shift) -> bool:
    """Whether what is shifted certainly has more than 32 bits."""
    text = unit.code.code
    shifted = operand_before(text, shift.mark.start, is_loose=False)
    words = text[slice(*shifted)].strip("() ")
    before = text[max(0, shifted.start - 40) : shifted.end]
    return bool(
        re.search(keys.wide_number, before)
        or (
            _NAME.fullmatch(words) and type_like(unit.declarations, words, shifted.start, keys.wide)
        )
    )


def _is_edited(unit: Unit, each: Values, shift: Shift) -> bool:
    lane = unit.code.slice(shift.lane)
    return not shift.is_stored and _is_lane(unit, each, lane, shift.lane.start, _DEEPEST)


def _is_lane(unit: Unit, each: Values, text: str, at: int, deep: int) -> bool:
    """Whether an expression is certainly from 0 to 31: what remains of a division by 32."""
    text = text.strip()
    while text.startswith("(") and closing_bracket(text, 0) == len(text) - 1:
        text = text[1:-1].strip()
    name = text.removesuffix("()").rstrip()
    if deep and _NAME.fullmatch(name):
        if name != text:
            return _returns_lane(unit, name, deep)
        given = each.variables.get(name, [])
        made = unit.code.code[slice(*given[0].span)] if len(given) == 1 else ""
        return bool(made) and _is_lane(unit, each, made, at, deep - 1)
    outer = _without_groups(text)
    marks = [match.start() for match in _OPERATOR.finditer(outer)]
    if not marks or _LOOSE.search(outer):
        return False
    left, mark, right = outer[: marks[-1]], outer[marks[-1]], text[marks[-1] + 1 :].strip()
    if mark == "%" and _SUM.search(left):
        return False
    lanes = unit.rules.lanes
    value = number(unit.code, unit.rules, right)
    of_wave = "|".join(lanes.warp_size)
    if mark == "%":
        return value == lanes.lanes or right in lanes.warp_size
    return value == lanes.lanes - 1 or bool(
        re.fullmatch(rf"\(\s*(?:{of_wave})\s*-\s*1\s*\)", right)
    )


def _returns_lane(unit: Unit, name: str, deep: int) -> bool:
    """Whether the function of a name does nothing but return the number of a lane."""
    named = [each for each in functions(unit.code, unit.rules) if each.name == name]
    return len(named) == 1 and _returns(unit, named[0], deep)


def _returns(unit: Unit, function: Function, deep: int) -> bool:
    end = function.body.end + 1
    returned = _RETURNED.match(unit.code.code, function.body.start, end)
    if returned is None:
        return False
    index = functions(unit.code, unit.rules).index(function)
    each = values(unit.code, unit.rules)[index]
    return _is_lane(unit, each, returned["value"], end, deep - 1)


def _without_groups(text: str) -> str:
    """The text with blanks for what its parentheses and brackets hold."""
    found, depth = [], 0
    for letter in text:
        depth -= letter in ")]"
        found.append(" " if depth > 0 else letter)
        depth += letter in "(["
    return "".join(found)


def _may_be_lane(each: Values, keys: Keys, shift: Shift) -> bool:
    """Whether a lane is what its name says, or what it is made of."""
    lane = each.code.code[slice(*shift.lane)]
    kinds = each.kinds(lane, shift.span.start)
    if kinds and kinds <= {LANE, WAVE_LANE}:
        return True
    return re.fullmatch(keys.lanes, lane) is not None


def _is_guarded(each: Values, shift: Shift) -> bool:
    """Whether the statement asks for the one lane before it shifts, or one before it returned."""
    lane = re.escape(each.code.code[slice(*shift.lane)])
    before = each.code.code[each.function.body.start : shift.span.start]
    asked = rf"(?<![\w.]){lane}\s*(?:(?:[<>]=?|[=!]=)\s*(?:0|1|31|32)\b|\?|&&)|!\s*{lane}\b"
    statement = before[max(before.rfind(mark) for mark in ";{}") + 1 :]
    return bool(
        re.search(asked, statement)
        or re.search(rf"\bif\s*\(\s*(?:{asked})\s*\)\s*\{{?\s*return\b", before)
    )
