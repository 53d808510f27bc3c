"""Numbers that stand for 32 lanes, in functions that work by warps."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import functions
from hipport.source.flow.launched_blocks import launched_blocks
from hipport.source.flow.work_by_warps import may_work_by_warps
from hipport.source.names.constants import number
from hipport.source.patterns.pattern_matches import statement_at
from hipport.source.source_file import Unit

_REACH = 60


class Keys(RuleKeys, frozen=True):
    warp_calls: Regex
    """What a function calls that works by warps."""
    lanes: Regex
    warps: Regex
    """The end of a text that counts the warps of a block."""
    rounded: Regex
    """The end of a text that is rounded up to tiles, or a side of one, if the number divides it."""
    bits: Regex
    """The end of a text that counts or numbers bits, if the number takes words of 32 from it."""
    halved: Regex
    """The rest of a loop that halves a number down to it, with what follows to do the rest."""
    stated: Regex
    """How a statement begins that only holds or does not compile."""
    named: Regex
    """A constant's `name` where it counts lanes."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such number in kernels with rows of 32 threads, and beside warp functions."""
    keys = rule.read(Keys)
    text = unit.code.code
    in_rows = {
        each.launch.kernel
        for each in launched_blocks(unit.declarations, unit.rules)
        if each.values[0] == unit.rules.lanes.lanes
    }
    calls = [match.start() for match in unit.code.finditer(keys.warp_calls)]
    for function in functions(unit.code, unit.rules):
        is_by_rows = function.name in in_rows and may_work_by_warps(
            text[slice(*function.body)], unit.rules
        )
        if is_by_rows or _is_any_in(function.body, calls):
            for match in _places(unit, keys, function.body):
                if counts(unit, rule, match.start()):
                    unit.report(rule.id, Span(*match.span()), match[0])


def _is_any_in(body: Span, places: list[int]) -> bool:
    """Whether one of the places, which are in order, is in a function's body."""
    return bisect_left(places, body.start) < bisect_left(places, body.end)


def _places(unit: Unit, keys: Keys, body: Span) -> Iterator[re.Match[str]]:
    text, lanes = unit.code.code, unit.rules.lanes.lanes
    for match in re.compile(keys.lanes).finditer(text, *body):
        if not _is_of_no_lanes(unit, keys, body, match):
            yield match
    for match in re.compile(keys.named).finditer(text, *body):
        if number(unit.code, unit.rules, match["name"]) == lanes:
            yield match


def _is_of_no_lanes(unit: Unit, keys: Keys, body: Span, match: re.Match[str]) -> bool:
    """Whether what is around a number says that it is the same on any GPU."""
    text = unit.code.code
    before = text[max(body.start, match.start() - _REACH) : match.start()]
    if match[0].startswith(("<", ">")) and re.search(keys.warps, before):
        return True
    if match[0].startswith(">") and re.compile(keys.halved).match(text, match.end()):
        return True
    if match[0].startswith(("/", ">>")) and re.search(keys.rounded, before):
        return True
    if match[0].startswith(("/", "%", ">>", "&")) and re.search(keys.bits, before):
        return True
    return re.compile(keys.stated).match(text, statement_at(unit, match.start())) is not None
