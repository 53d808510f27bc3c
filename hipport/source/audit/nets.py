"""Findings about what no rule knows: only where nothing else is reported, and nothing is done."""

from __future__ import annotations

from collections.abc import Collection

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.rules import RuleSet

_ENDING = regex(r"\.(?:so|dll|dylib)\b")


def uncovered(found: list[Finding], rules: RuleSet) -> list[Finding]:
    """The findings of a file, those of nets only in lines that no other finding is about.

    Of several nets in a line, those of the highest rank say most. Another release of a library, and
    what is taken of a module, are none where the library or the module is reported.
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
    left = [
        each
        for each in found
        if each.code not in nets
        or (each.start.line not in covered and ranks[each.code] == highest[each.start.line])
    ]
    return _without_told(left, nets)


def unanswered(found: list[Finding], rules: RuleSet) -> list[Finding]:
    """The findings without those of nets at places that the conversion edits."""
    return [each for each in found if not (each.fixed_by and rules.finding(each.code).net)]


def _without_told(found: list[Finding], nets: Collection[str]) -> list[Finding]:
    told = {each.symbol for each in found if each.code not in nets and each.needs_person}
    libraries = {_ENDING.split(each)[0] for each in told if _ENDING.search(each)}
    modules = {each.rpartition(".")[2] for each in told if "." in each} - {"", "so", "dll"}
    return [
        each
        for each in found
        if each.code not in nets
        or (
            _ENDING.split(each.symbol)[0] not in libraries
            and each.symbol.rpartition(".")[0] not in modules
        )
    ]
