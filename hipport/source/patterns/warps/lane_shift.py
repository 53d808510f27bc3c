"""Shifts by all bits, where a lane or an offset is 0: `lanes << (32 - lane)`, `1u << (lane + 1)`.

PTX gives 0 for a number that is shifted by all its bits. AMD's instructions take the lowest five
bits of the distance, and leave the number as it is. Two shifts by less do what CUDA's one does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import functions
from hipport.source.flow.operands import operand_before, without_casts
from hipport.source.flow.values import LANE, WAVE_LANE, Values
from hipport.source.flow.values_of_file import values_of
from hipport.source.names.constants import number
from hipport.source.names.declared_types import type_like
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.text.source_text import Code
from hipport.source.warps.ported_warps import is_hip

_FINDING = "HP-WARP-417"
_SHIFT = (
    r"(?P<mark><<|>>)(?P<stored>=?)\s*(?P<opened>\()?\s*"
    r"(?:(?P<all>\w+)\s*-\s*(?P<lane>\w+|(?=\())|(?P<one>\w+(?:\s*\(\s*\))?|\([^()]*\))\s*\+\s*1[uU]?(?!\w))"
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
    bits: int
    """How many bits are shifted."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the shifts by what may be a lane, but is not seen to be one."""
    keys = rule.read(Keys)
    for each, shift in _shifts(unit, keys):
        is_of_lanes = shift.bits == unit.rules.lanes.lanes and _may_be_lane(each, keys, shift)
        is_named = is_of_lanes and not _is_edited(unit, each, shift)
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
            new = str(shift.bits - 1) if less.isdecimal() else f"{less} - 1"
            edits = [(begin, f" 1 {mark}"), (shift.all, new)]
        else:
            begin = Span(shift.mark.end, shift.lane.start)
            edits = [(begin, f" 1 {mark} "), (Span(shift.lane.end, shift.span.end), "")]
        rewrite(unit, rule.name.replace("_", "-"), edits, [shift.span])


def _shifts(unit: Unit, keys: Keys) -> Iterator[tuple[Values, Shift]]:
    """The shifts by all bits less a lane, or by a lane and one, in each function of the device."""
    places = [] if is_hip(unit.code, unit.rules) else unit.code.once(_places, unit.code, "")
    bodies = [each.body for each in functions(unit.code, unit.rules)] if places else []
    starts = [each.start for each in bodies]
    for match in places:
        index = bisect_right(starts, match.start()) - 1
        if index < 0 or match.start() >= bodies[index].end:
            continue
        shift = _shift(unit, keys, match)
        if shift and not _is_rotation(unit, shift):
            yield values_of(unit)[index], shift


def _places(code: Code, _: str) -> list[re.Match[str]]:
    return list(code.finditer(_SHIFT, re.NOFLAG))


def _shift(unit: Unit, keys: Keys, match: re.Match[str]) -> Shift | None:
    """The whole of a shift; None if more than one number and a lane is in its distance."""
    text, group = unit.code.code, "lane" if match["all"] else "one"
    lane = Span(*match.span(group))
    end = match.end()
    lanes = unit.rules.lanes
    bits = 2 * lanes.lanes if _is_wide(unit, keys, match.start()) else lanes.lanes
    if match["all"]:
        of = lanes.lanes
        if match["all"] not in lanes.warp_size:
            of = number(unit.code, unit.rules, match["all"]) or 0
        if of not in (bits, 2 * lanes.lanes):
            return None
        bits = of
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
        bits,
    )


def _whole(text: str, lane: Span) -> Span:
    """A lane with its parentheses: those around it, or those of a call without arguments."""
    if lane.start == lane.end and text.startswith("(", lane.start):
        closed = closing_bracket(text, lane.start)
        return Span(lane.start, closed + 1) if closed else lane
    called = _CALL.match(text, lane.end)
    return Span(lane.start, called.end()) if called else lane


def _is_rotation(unit: Unit, shift: Shift) -> bool:
    """Whether the same number is shifted the other way beside it: what all bits do is the same,
    and compilers know it as one instruction."""
    text = unit.code.code
    shifted = operand_before(text, shift.mark.start, is_loose=False)
    start = max(text.rfind(mark, 0, shift.span.start) for mark in ";{}") + 1
    end = text.find(";", shift.span.end)
    number, lane = (re.escape(text[slice(*each)].strip()) for each in (shifted, shift.lane))
    other = ">>" if text[slice(*shift.mark)] == "<<" else "<<"
    return bool(
        re.compile(rf"(?<![\w.]){number}\s*{other}\s*\(?\s*{lane}(?!\w)").search(text, start, end)
    )


def _is_wide(unit: Unit, keys: Keys, mark: int) -> bool:
    """Whether what is shifted certainly has more than 32 bits."""
    text = unit.code.code
    shifted = operand_before(text, mark, is_loose=False)
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
    return not shift.is_stored and _Rest(unit, shift.bits).is_certain(each, lane, _DEEPEST)


class _Rest:
    """What remains of a division by a number of bits: from 0 to one less."""

    def __init__(self, unit: Unit, bits: int) -> None:
        self._unit, self._bits = unit, bits
        lanes = unit.rules.lanes
        self._wave = lanes.warp_size if bits == lanes.lanes else frozenset()

    def is_certain(self, each: Values, text: str, deep: int) -> bool:
        """Whether an expression in a function is certainly such a rest."""
        text = text.strip()
        while text.startswith("(") and closing_bracket(text, 0) == len(text) - 1:
            text = text[1:-1].strip()
        name = text.removesuffix("()").rstrip()
        if deep and _NAME.fullmatch(name):
            if name != text:
                return self._is_returned(name, deep)
            given = each.variables.get(name, [])
            made = each.code.code[slice(*given[0].span)] if len(given) == 1 else ""
            return bool(made) and self.is_certain(each, made, deep - 1)
        outer = without_casts(_without_groups(text))
        marks = [match.start() for match in _OPERATOR.finditer(outer)]
        if not marks or _LOOSE.search(outer):
            return False
        at = marks[-1]
        right = text[at + 1 :].strip()
        value = number(each.code, self._unit.rules, right)
        if outer[at] == "%":
            is_whole = not _SUM.search(outer[:at])
            return is_whole and (value == self._bits or right in self._wave)
        less = re.fullmatch(r"\(\s*(\w+)\s*-\s*1\s*\)", right)
        return value == self._bits - 1 or bool(less and less[1] in self._wave)

    def _is_returned(self, name: str, deep: int) -> bool:
        """Whether the function of a name does nothing but return such a rest."""
        code, rules = self._unit.code, self._unit.rules
        every = functions(code, rules)
        named = [index for index, each in enumerate(every) if each.name == name]
        if len(named) != 1:
            return False
        body = every[named[0]].body
        returned = _RETURNED.match(code.code, body.start, body.end + 1)
        each = values_of(self._unit)[named[0]]
        return bool(returned and self.is_certain(each, returned["value"], deep - 1))


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
    asked = rf"(?<![\w.]){lane}\s*(?:(?:[<>]=?|[=!]=)\s*(?:0|1|31|32)[uU]?\b|\?|&&)|!\s*{lane}\b"
    statement = before[max(before.rfind(mark) for mark in ";{}") + 1 :]
    return bool(
        re.search(asked, statement)
        or re.search(rf"\bif\s*\(\s*(?:{asked})\s*\)\s*\{{?\s*return\b", before)
    )
