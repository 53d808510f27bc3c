"""Gives a conversion's general findings the codes that an audit has for the same places."""

from __future__ import annotations

from collections import defaultdict

from hipport.model import Finding, Position
from hipport.source.convert.verdicts import specific
from hipport.source.patterns.run_patterns import find_named
from hipport.source.source_file import Unit


def say_more(unit: Unit) -> None:
    """Put the audit's findings in place of general ones, where it has some that say more."""
    general = {each.code for each in unit.findings} & unit.rules.specifics.keys()
    reported, unit.findings = unit.findings, []
    for code in sorted(general):
        find_named(unit, unit.rules.specific_to(code))
    found, unit.findings = unit.findings, reported
    if not found:
        return
    vague = [each for each in reported if each.code in general]
    stay = set(specific(vague + found, unit.rules, unit.wholes))
    gone = _Places(unit, [each for each in vague if each not in stay])
    others = [each for each in reported if each.code not in general or each in stay]
    # What the audit finds elsewhere is the audit's alone.
    unit.findings = others + [each for each in found if each in stay and gone.have(each)]


class _Places:
    """Where findings are: the statement that each is a part of, or the place alone."""

    def __init__(self, unit: Unit, findings: list[Finding]) -> None:
        self._wholes = unit.wholes
        self._starts = {self._start(each) for each in findings}
        self._by_line: dict[int, list[Finding]] = defaultdict(list)
        for each in findings:
            self._by_line[each.start.line].append(each)

    def have(self, finding: Finding) -> bool:
        """Whether a finding is at one of them."""
        return self._start(finding) in self._starts or any(
            finding.start < each.end and each.start < finding.end
            for each in self._by_line.get(finding.start.line, ())
        )

    def _start(self, finding: Finding) -> Position:
        return self._wholes.get(finding.start, finding.start)
