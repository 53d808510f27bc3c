"""Groups of the active lanes, which span the wavefront, but where that changes nothing."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import functions
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences

_MADE = regex(r"(?<![\w.>])([A-Za-z_]\w*)\s*(?:=\s*|[({]\s*)\Z")
_OPERAND_BEFORE = regex(r"(?P<name>[A-Za-z_]\w*)\s*\+\s*\Z")
_OPERAND_BEHIND = regex(r"\s*\+\s*(?P<name>[A-Za-z_]\w*)\b(?!\s*\()")
_ZERO_BEFORE = regex(r"(?:\b0\s*==|!)\s*\Z")
_ZERO_BEHIND = regex(r"\s*==\s*0\b")
_REACH = 200


class Keys(RuleKeys, frozen=True):
    shape: Regex
    ranks: Regex
    """What follows a group's name where its rank is read."""
    sizes: Regex
    """The same of its size."""
    broadcasts: Regex
    """The same where its first lane's value is read."""
    waits: Regex
    atomics: Regex
    """An atomic operation that has been opened, and no more."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each group, unless its lanes only make one atomic out of many."""
    keys, code = rule.read(Keys), unit.code
    for match in code.finditer(keys.shape) if code.may_match(keys.shape) else ():
        span = Span(*match.span("symbol"))
        if counts(unit, rule, span.start) and not _is_one_atomic(unit, span.start, keys):
            unit.report(rule.id, span, " ".join(code.slice(span).split()))


def _is_one_atomic(unit: Unit, at: int, keys: Keys) -> bool:
    """Whether a group's lanes give their number to an atomic, and take places from its result."""
    text = unit.code.code
    made = _MADE.search(text, max(0, at - _REACH), at)
    body = next(
        (each.body for each in functions(unit.code, unit.rules) if at in range(*each.body)), None
    )
    if made is None or body is None:
        return False
    name, counted = made[1], False
    for use in occurrences(text, name, at, body.end):
        before, behind = text[max(body.start, use - _REACH) : use], use + len(name)
        if re.compile(keys.sizes).match(text, behind):
            if not re.search(keys.atomics, before):
                return False
            counted = True
        elif rank := re.compile(keys.ranks).match(text, behind):
            if not _is_place(text, (body.start, use, rank.end(), body.end), name, keys):
                return False
        elif not re.compile(f"{keys.broadcasts}|{keys.waits}").match(text, behind):
            return False
    return counted


def _is_place(text: str, places: tuple[int, int, int, int], name: str, keys: Keys) -> bool:
    """Whether a rank is compared with 0, or added to what the first lane got."""
    start, use, behind, end = places
    before = text[max(start, use - _REACH) : use]
    if _ZERO_BEFORE.search(before) or _ZERO_BEHIND.match(text, behind):
        return True
    if re.search(rf"\b{name}{keys.broadcasts}\s*\+\s*\Z", before):
        return True
    operand = _OPERAND_BEFORE.search(before) or _OPERAND_BEHIND.match(text, behind)
    if operand is None:
        return False
    if operand["name"] == name:
        return True  # The group's own shuffle, which is looked at on its own.
    given = rf"\b{operand['name']}\s*=\s*{name}{keys.broadcasts}"
    return re.compile(given).search(text, start, end) is not None
