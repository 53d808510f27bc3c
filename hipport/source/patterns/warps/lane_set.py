"""Sets of lanes treated as 32 bits wide: HIP's ballot and the like return 64."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.lane_sets import bits_counted, bits_of_lanes
from hipport.source.names.declared_types import type_like
from hipport.source.names.given_values import values_given
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.quick_search import matches
from hipport.source.text.required_texts import may_match
from hipport.source.warps.active_groups import set_of_active_group

_REACH = 4_000


class Keys(RuleKeys, frozen=True):
    shape: Regex
    follows: str = ""
    """What variables are followed: `bits`, or those whose bits are counted."""
    near: tuple[str, ...] = ()
    given: Regex = Regex("")
    """How the value of a variable that holds a set begins."""
    sources: Regex = Regex("")
    whole: Regex = Regex("")
    """A comparison with 32 ones, of the variable or call `set`."""
    narrow: Regex = Regex("")
    """Types of variables that hold no more than 32 bits of a set, and do not count."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each place of the rule's `shape`; its group `argument` must be a set of lanes."""
    keys = rule.read(Keys)
    reported: set[int] = set()
    _report_shapes(unit, rule, reported)
    if keys.whole:
        _report_whole(unit, rule)
    if keys.follows:
        _report_followed(unit, rule, reported)


def _report_shapes(unit: Unit, rule: FindingRule, reported: set[int]) -> None:
    keys = rule.read(Keys)
    text = unit.code.code
    if not unit.code.may_match(keys.shape):
        return
    for match in _matches(rule, text):
        start = match.start("symbol")
        if start in reported or not counts(unit, rule, start):
            continue
        if match.groupdict().get("opened") and not _is_lane_set(unit, keys, match):
            continue
        reported.add(start)
        span = Span(*match.span("symbol"))
        text = " ".join(unit.code.slice(span).split())
        unit.report(rule.id, span, text, may_keep=not _is_of_active_group(unit, match))


def _is_of_active_group(unit: Unit, match: re.Match[str]) -> bool:
    """Whether the argument of the call has such a group's set, or a variable that was given one."""
    active = set_of_active_group(unit.code, unit.rules)
    if active is None or not match.groupdict().get("opened"):
        return False
    text, opened = unit.code.code, match.start("opened")
    argument = text[opened : closing_bracket(text, opened) or opened]
    return bool(active.search(argument)) or any(
        active.search(text, *each)
        for name in _variables(argument)
        for each in _given_before(unit, name, opened)
    )


def _variables(argument: str) -> list[str]:
    return re.findall(r"(?<![\w.>])[A-Za-z_]\w*\b(?!\s*[\[(.])", argument)


def _report_whole(unit: Unit, rule: FindingRule) -> None:
    keys = rule.read(Keys)
    for match in unit.code.finditer(keys.whole) if unit.code.may_match(keys.sources) else ():
        start = match.start("symbol")
        is_call = match["set"].endswith(")")
        if (is_call or _holds_set(unit, keys, match["set"], start)) and counts(unit, rule, start):
            unit.report(rule.id, Span(*match.span("symbol")), " ".join(match["symbol"].split()))


def _report_followed(unit: Unit, rule: FindingRule, reported: set[int]) -> None:
    """What variables of any name lead to, in code for HIP."""
    keys = rule.read(Keys)
    spans: Iterable[Span]
    if keys.follows == "bits":
        spans = [span for _, span, _ in bits_of_lanes(unit, is_wide=False)]
    else:
        spans = bits_counted(unit, keys.shape)
    lines = {unit.code.position(at).line for at in reported}
    for span in spans:
        line = unit.code.position(span.start).line
        if line not in lines and counts(unit, rule, span.start):
            lines.add(line)
            unit.report(rule.id, span, " ".join(unit.code.slice(span).split()))


def _matches(rule: FindingRule, text: str) -> Iterator[re.Match[str]]:
    """All matches of the shape; with `near`, looked for in the statements that hold such a text."""
    keys = rule.read(Keys)
    shape = re.compile(keys.shape, re.MULTILINE)
    if not keys.near:
        yield from shape.finditer(text)
        return
    done = 0
    for hit in matches("|".join(map(re.escape, keys.near)), text):
        if hit.start() >= done:
            start = max(done, *(text.rfind(mark, 0, hit.start()) for mark in ";{}"))
            done = text.find(";", hit.end()) + 1 or len(text)
            # The end of one statement begins the shape of the next.
            yield from shape.finditer(text, start, done)
            done -= 1


def _is_lane_set(unit: Unit, keys: Keys, match: re.Match[str]) -> bool:
    """Whether the argument of the call contains a ballot, or a variable that was given one."""
    text = unit.code.code
    opened = match.start("opened")
    closed = closing_bracket(text, opened)
    argument = text[opened : closed or opened]
    if ">>" in argument:
        return False  # The upper half.
    if re.search(keys.sources, argument):
        return True
    if not keys.given or not may_match(keys.given, text):
        return False
    return any(
        _holds_set(unit, keys, name, opened)
        for name in _variables(argument)
        if not (keys.narrow and type_like(unit.declarations, name, opened, keys.narrow))
    )


def _holds_set(unit: Unit, keys: Keys, name: str, offset: int) -> bool:
    """Whether a variable of a name was given a ballot before an offset, and not far from it."""
    text = unit.code.code
    given = _given_before(unit, name, offset)
    return any(re.match(keys.given, text[slice(*each)]) for each in given)


def _given_before(unit: Unit, name: str, offset: int) -> Sequence[Span]:
    """The values that variables of a name are given before an offset, and not far from it."""
    values = values_given(unit.declarations, name)
    first = bisect_right(values, offset - _REACH, key=attrgetter("start"))
    return values[first : bisect_left(values, offset, key=attrgetter("start"))]
