"""Findings about what no rule knows: only where nothing else is reported, and nothing is done."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from hipport.model import Finding, Position
from hipport.rulebook.rules import RuleSet


def uncovered(
    found: list[Finding], rules: RuleSet, line_of: Callable[[Position], int] = itemgetter(0)
) -> list[Finding]:
    """The findings of a file, those of nets only in lines that no other finding is about.

    Of several nets in a line, those of the highest rank say most. `line_of` says in which line a
    position is, where that is not the one in which it is written.
    """
    ranks = {each: rules.finding(each).rank for each in {each.code for each in found}}
    nets = {code for code in ranks if rules.finding(code).net}
    if not nets:
        return found
    covered: set[int] = set()
    highest: dict[int, int] = {}
    lines = [line_of(each.start) for each in found]
    for each, line in zip(found, lines, strict=True):
        if each.code in nets:
            highest[line] = max(highest.get(line, ranks[each.code]), ranks[each.code])
        else:
            covered.update(range(line, line_of(each.end) + 1))
    return [
        each
        for each, line in zip(found, lines, strict=True)
        if each.code not in nets or (line not in covered and ranks[each.code] == highest[line])
    ]


def unanswered(found: list[Finding], rules: RuleSet) -> list[Finding]:
    """The findings without those of nets at places that the conversion edits."""
    return [each for each in found if not (each.fixed_by and rules.finding(each.code).net)]
