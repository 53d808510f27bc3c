"""Joins findings that one decision settles into one with many places, in file order.

Suppressions, baselines and editors look at each place, so these are joined last, for a report.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from itertools import groupby

from msgspec.structs import replace

from hipport.lazy_regex import regex
from hipport.model import Finding, Position, Records, Severity
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.known_findings import Findings
from hipport.spool import Spool

_RELEASE = regex(r"\.(?:so|dll|dylib)\b")


def together(
    findings: Records[Finding], rules: Mapping[str, FindingRule], others: str = "(?!)"
) -> Records[Finding]:
    """One finding for each decision, by path and line at the first of its places.

    Which of them the rules join, their key `decided` says (docs/rules.md). Places in folders that
    `others` matches, which hold copies of other projects, come behind the tree's own.
    """
    is_of_others = re.compile(others).search
    groups: dict[Hashable, list[Finding]] = {}
    for each in findings:
        if decision := _decision(each, rules):
            groups.setdefault(decision, []).append(each)
    joined: Spool[Finding] = Spool()
    first: dict[Hashable, Finding] = {}
    for answer, found in groups.items():
        found.sort(key=lambda each: (is_of_others(each.path) is not None, *_order(each, rules)))
        first[answer] = found[0]
    for each in findings:
        decision = _decision(each, rules)
        if not decision:
            joined.append(each)
        elif first.get(decision) == each:
            del first[decision]
            joined.append(replace(each, more=tuple(groups[decision][1:])))
    return joined


def without_notes(findings: Records[Finding], rules: Findings) -> Records[Finding]:
    """The findings without the notes, which ask for nothing that another finding does not."""
    codes = {each.code for each in findings}
    asking = rules.having("answered_by")
    answers = {answer for rule in asking for answer in rule.answered_by if ":" in answer}
    codes |= answers.intersection(f"{each.code}:{each.symbol}" for each in findings)
    found: Spool[Finding] = Spool()
    found.extend(each for each in findings if not _is_note(each, rules.get(each.code), codes))
    return _without_answered(_without_named(found, rules), rules)


def _without_named(findings: Records[Finding], rules: Findings) -> Records[Finding]:
    """The findings without those about what another one of their file, by name, asks for."""
    codes = {rule.id for rule in rules.having("answered_by_name")}
    if not any(each.code in codes for each in findings):
        return findings
    asking = [each for each in findings if each.needs_person and each.code not in codes]
    asked = {(each.path, name) for each in asking for name in _names(each)}
    found: Spool[Finding] = Spool()
    found.extend(each for each in findings if each.code not in codes or not _is_named(each, asked))
    return found


def _without_answered(findings: Records[Finding], rules: Findings) -> Records[Finding]:
    """The findings without those about a file where another one asks for the same."""
    asking = {rule.id: rule.answered_here for rule in rules.having("answered_here")}
    if not any(each.code in asking for each in findings):
        return findings
    answered = {
        (pattern, each.path)
        for each in findings
        if each.needs_person
        for pattern in set(asking.values())
        if re.search(pattern, f"{each.path}:{each.code}")
    }
    found: Spool[Finding] = Spool()
    found.extend(
        each
        for each in findings
        if not each.needs_person or (asking.get(each.code), each.path) not in answered
    )
    return found


def _names(finding: Finding) -> tuple[str, str]:
    """What a finding is about, a library without its release, and what a file calls the module."""
    symbol = finding.symbol.lower()
    return _RELEASE.split(symbol, maxsplit=1)[0], symbol.rpartition(".")[2]


def _is_named(finding: Finding, asked: Collection[tuple[str, str]]) -> bool:
    """Whether another finding is about its symbol, or about the module that the symbol is of."""
    name, _ = _names(finding)
    module = finding.symbol.lower().rpartition(".")[0]
    return (finding.path, name) in asked or bool(module and (finding.path, module) in asked)


def _is_note(finding: Finding, rule: FindingRule | None, codes: set[str]) -> bool:
    if rule is None:
        return False
    is_kept = rule.untouched and bool(finding.fixed_by)
    has_notes = rule.note or rule.optional or rule.staying or is_kept
    is_fine = has_notes and finding.severity == Severity.INFO
    is_alone = bool(rule.with_finding) and codes.isdisjoint(rule.with_finding)
    return is_fine or is_alone or not codes.isdisjoint(rule.answered_by)


def at_each_place(findings: Iterable[Finding]) -> Iterator[Finding]:
    """A finding for each place, those of one file together and in the order of its lines."""
    elsewhere: dict[str, list[Finding]] = {}
    for each in findings:
        for place in each.more:
            elsewhere.setdefault(place.path, []).append(place)
    if not elsewhere:
        yield from findings
        return
    for path, in_file in groupby(findings, key=lambda each: each.path):
        here = [each.places[0] for each in in_file]
        yield from sorted(here + elsewhere.pop(path, []), key=place_of)
    for here in elsewhere.values():
        yield from sorted(here, key=place_of)


def _order(finding: Finding, rules: Mapping[str, FindingRule]) -> tuple[object, ...]:
    """A rule's own come before those of others that are decided with them."""
    rule = rules.get(finding.code)
    return bool(rule and _other(finding, rule, rules)), place_of(finding)


def place_of(finding: Finding) -> tuple[str, Position, str]:
    """Where a finding is, and its code: by these, findings are in order."""
    return finding.path, finding.start, finding.code


def _decision(finding: Finding, rules: Mapping[str, FindingRule]) -> tuple[object, ...]:
    """What findings of one decision have in common; () for a finding decided on its own."""
    rule = rules.get(finding.code)
    if rule and (other := _other(finding, rule, rules)):
        as_other = replace(
            finding, code=other.id, severity=other.severity, suggestion=other.suggestion
        )
        return _decision(as_other, rules)
    said = rule.decided if rule else ""
    decided = said or ("place" if finding.needs_person or finding.fix else "tree")
    is_whole = not finding.start.line
    if decided == "place" or is_whole != (decided == "folder"):
        return ()
    how = (finding.fixed_by, finding.fix is not None)
    same = (finding.code, finding.severity, *how, finding.suggestion)
    if decided == "tree" or not finding.needs_person:
        return same
    if decided == "folder":
        return (*same, finding.path.rpartition("/")[0])
    return (*same, finding.path if decided == "file" else _said(finding, rule))


def _other(
    finding: Finding, rule: FindingRule, rules: Mapping[str, FindingRule]
) -> FindingRule | None:
    """The rule whose findings ask for the same as this one about its symbol."""
    for code, symbols in rule.decided_with.items():
        if re.fullmatch(symbols, finding.symbol):
            return rules.get(code)
    return None


def _said(finding: Finding, rule: FindingRule | None) -> str:
    """The message without what makes no other decision of it.

    A package and its module differ in `-` and `_`.
    """
    said = re.sub(rule.alike, "", finding.message) if rule and rule.alike else finding.message
    return said.replace("-", "_")
