"""Findings about what no rule knows: only where nothing else is reported, and nothing is done."""

from __future__ import annotations

from hipport.model import Finding
from hipport.rulebook.rules import RuleSet


def uncovered(found: list[Finding], rules: RuleSet) -> list[Finding]:
    """The findings of a file, those of nets only in lines that no other finding is about."""
    nets = {code for code in {each.code for each in found} if rules.finding(code).net}
    if not nets:
        return found
    covered: set[int] = set()
    for each in found:
        if each.code not in nets:
            covered.update(range(each.start.line, each.end.line + 1))
    return [each for each in found if each.code not in nets or each.start.line not in covered]


def unanswered(found: list[Finding], rules: RuleSet) -> list[Finding]:
    """The findings without those of nets at places that the conversion edits."""
    return [each for each in found if not (each.fixed_by and rules.finding(each.code).net)]
