"""Findings about what no rule knows: only where nothing else is reported, and nothing is done."""

from __future__ import annotations

from hipport.model import Finding
from hipport.rulebook.rules import RuleSet


def uncovered(found: list[Finding], rules: RuleSet) -> list[Finding]:
    """The findings of a file, those of nets only in lines that no other finding is about.

    Of several nets in a line, those of the highest rank say most.
    """
    ranks = {each: rules.finding(each).rank for each in {each.code for each in found}}
    nets = {code for code in ranks if rules.finding(code).net}
    if not nets:
        return found
    covered: set[int] = set()
    highest: dict[int, int] = {}
    for each in found:
        line = each.start.line
        if each.code in nets:
            highest[line] = max(highest.get(line, ranks[each.code]), ranks[each.code])
        else:
            covered.update(range(line, each.end.line + 1))
    return [
        each
        for each in found
        if each.code not in nets
        or (each.start.line not in covered and ranks[each.code] == highest[each.start.line])
    ]


def unanswered(found: list[Finding], rules: RuleSet) -> list[Finding]:
    """The findings without those of nets at places that the conversion edits."""
    return [each for each in found if not (each.fixed_by and rules.finding(each.code).net)]
