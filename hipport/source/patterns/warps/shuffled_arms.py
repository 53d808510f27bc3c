"""Shuffles in an arm of `a ? b : c` that some lanes do not take: nothing is read from those."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import functions
from hipport.source.flow.guards import LANES, reach
from hipport.source.flow.values import Values
from hipport.source.flow.values_of_file import values_of
from hipport.source.source_file import Unit
from hipport.source.text.brackets import opening_bracket

_LONGEST = 600
_COMPARED = "=!<>"
_RETURN = regex(r"\s*(?:\breturn\b)?\s*")


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first shuffle of each such operator whose condition divides the lanes."""
    text = unit.code.code
    uses = unit.of(rule.names)
    if not uses or "?" not in text:
        return
    starts = [use.span.start for use in uses]
    done: set[int] = set()
    for index, function in enumerate(functions(unit.code, unit.rules)):
        first, last = (bisect_left(starts, at) for at in function.body)
        for use in uses[first:last]:
            each = values_of(unit)[index]
            found = _conditions(text, use.span.start, function.body.start)
            condition = next((one for one in found if _divides(each, one)), None)
            if condition is None or condition.end in done or use.is_member:
                continue
            if counts(unit, rule, use.span.start):
                done.add(condition.end)
                words = {"condition": " ".join(text[slice(*condition)].split())}
                unit.report(rule.id, use.span, use.name, words)


def _divides(each: Values, condition: Span) -> bool:
    return reach(each, each.code.code[slice(*condition)], condition.start) == LANES


def _conditions(text: str, offset: int, begin: int) -> Iterator[Span]:
    """The conditions of all operators in one of whose arms an offset is, inner ones first."""
    at, is_in_call = offset, False
    begin = max(begin, offset - _LONGEST)
    while at > begin:
        at -= 1
        mark = text[at]
        if mark in ")]":
            opened = opening_bracket(text, at)
            if opened is None:
                return
            at = opened
        elif mark in ";{}" or (mark == "=" and _is_assignment(text, at)):
            return
        elif mark in "([":
            is_in_call = False
        elif mark == ",":
            is_in_call = True  # What is before it is another argument.
        elif mark == "?" and not is_in_call:
            condition = _before(text, at, begin)
            if condition is None:
                return
            yield condition
            at = condition.start


def _before(text: str, mark: int, begin: int) -> Span | None:
    """The condition before a question mark."""
    at = mark
    while at > begin:
        before = text[at - 1]
        if before in ")]":
            opened = opening_bracket(text, at - 1)
            if opened is None:
                return None
            at = opened
            continue
        is_qualifier = before == ":" and ":" in (text[at - 2], text[at : at + 1])
        if before in ";{}(,?" or (before == ":" and not is_qualifier):
            break
        if before == "=" and _is_assignment(text, at - 1):
            break
        at -= 1
    skipped = _RETURN.match(text, at, mark)
    return Span(skipped.end() if skipped else at, mark)


def _is_assignment(text: str, at: int) -> bool:
    """Whether `=` assigns, alone or behind an operator, and does not compare."""
    return text[at + 1] != "=" and (
        text[at - 1] not in _COMPARED or text[at - 2 : at] in ("<<", ">>")
    )
