"""A conversion's general findings under the codes that an audit has for the same places."""

from __future__ import annotations

from hipport.model import Finding
from hipport.source.convert.verdicts import specific
from hipport.source.patterns.run_patterns import find_named
from hipport.source.source_file import Unit


def say_more(unit: Unit) -> None:
    """Put the audit's findings in place of general ones, where it has some that say more."""
    general = {each.code for each in unit.findings} & unit.rules.specifics.keys()
    if not general:
        return
    reported, unit.findings = unit.findings, []
    for code in general:
        find_named(unit, unit.rules.specific_to(code))
    found, unit.findings = unit.findings, reported
    if not found:
        return
    vague = [each for each in reported if each.code in general]
    stay = specific(vague + found, unit.rules, unit.wholes)
    left = {each for each in vague if each in stay}
    gone = [each for each in vague if each not in left]
    # What the audit finds elsewhere is the audit's alone.
    better = [each for each in stay if each not in left and _is_at_one(unit, each, gone)]
    others = [each for each in reported if each.code not in general or each in left]
    unit.findings = others + better


def _is_at_one(unit: Unit, finding: Finding, places: list[Finding]) -> bool:
    whole = unit.wholes.get
    start = whole(finding.start, finding.start)
    return any(
        start == whole(each.start, each.start)
        or (finding.start < each.end and each.start < finding.end)
        for each in places
    )
