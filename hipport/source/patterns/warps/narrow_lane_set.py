"""Sets of lanes that are kept in 32 bits: HIP's ballot and the like return 64."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.lane_sets import narrow_sets
from hipport.source.names.receivers import assigned, receiver
from hipport.source.source_file import Unit
from hipport.source.text.brackets import is_member, occurrences, skip
from hipport.source.warps.active_groups import set_of_active_group


class Keys(RuleKeys, frozen=True):
    narrow: Regex
    """Types of 32 bits."""
    members: tuple[str, ...]
    """Members of groups that return a set."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each variable or element of 32 bits that is given a set of lanes."""
    narrow = rule.read(Keys).narrow
    lines: set[int] = set()
    active = set_of_active_group(unit.code, unit.rules)
    found = [span for call in _calls(unit, rule) for span in _held(unit, call, narrow)]
    for span in (*sorted(found), *narrow_sets(unit, narrow)):
        line = unit.code.position(span.start).line
        if line not in lines and counts(unit, rule, span.start):
            lines.add(line)
            end = skip(unit.code.code, span.end) + 1
            is_active = active is not None and active.search(unit.code.code, span.start, end)
            text = " ".join(unit.code.slice(span).split())
            unit.report(rule.id, span, text, may_keep=not is_active)


def _calls(unit: Unit, rule: FindingRule) -> Iterator[Span]:
    """The names of the functions, and of the members, where they are called."""
    text = unit.code.code
    for names, are_members in ((rule.names, False), (rule.read(Keys).members, True)):
        for name in unit.code.words.intersection(names):
            for at in occurrences(text, name):
                end = at + len(name)
                if text.startswith("(", skip(text, end)) and is_member(text, at) is are_members:
                    yield Span(at, end)


def _held(unit: Unit, callee: Span, narrow: str) -> Iterator[Span]:
    """From the declaration or the element of 32 bits that is given a set, to the callee."""
    found = receiver(unit.declarations, callee)
    if found is None:
        given = assigned(unit.declarations, callee)
        if given and re.fullmatch(narrow, given[1]):
            yield Span(given[0].start, callee.end)
        return
    declared = found.variable
    if found.element is None:
        first = declared.type_place if declared.is_alone else declared.name
        is_narrow = re.fullmatch(narrow, declared.type)
    else:
        first = found.element
        is_narrow = re.fullmatch(narrow, declared.type.rstrip("*[]"))
        # A rewrite may have given the array another type.
        if unit.answered.overlap(declared.type_place):
            return
    if is_narrow:
        yield Span(first.start, callee.end)
