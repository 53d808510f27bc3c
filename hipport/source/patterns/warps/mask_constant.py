"""Values of 32 bits that are masks of all lanes, by their names or by what takes them."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.cuda_conditions import branches_left_out
from hipport.source.flow.device_code import counts, is_ported
from hipport.source.names.constants import definitions_in_file
from hipport.source.names.variables import variables_named
from hipport.source.patterns.pattern_matches import pattern_matches
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences


class Keys(RuleKeys, frozen=True):
    constant: Regex
    """The name of one that is taken for such a mask wherever it is."""
    used: Regex
    """A call that takes the constant `name` for a mask."""
    value: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each macro, constant, enumerator, and variable of such a value."""
    has_device_code = unit.code.has(unit.rules.device_code.function_keywords)
    if not has_device_code and re.search(unit.rules.file_kinds.cpu_paths, unit.path):
        return
    keys = rule.read(Keys)
    named = filter(re.compile(keys.constant).fullmatch, unit.code.words_with(keys.constant))
    used = {match["name"] for match in unit.code.finditer(keys.used)}
    for span in pattern_matches(unit, rule):
        if counts(unit, rule, span.start):
            unit.report(rule.id, span, unit.code.slice(span))
    for name in sorted({*named, *used}):
        places = _definitions(unit, keys, name)
        if name in used:
            places |= _variables(unit, keys, name)
        if not places or _is_for_nvidia(unit, name, places):
            continue
        for start in sorted(places):
            if counts(unit, rule, start):
                unit.report(rule.id, Span(start, start + len(name)), name)


def _is_for_nvidia(unit: Unit, name: str, places: set[int]) -> bool:
    """Whether all that uses what has a name stands in branches that HIP leaves out."""
    left_out = branches_left_out(unit.code, unit.rules)
    if not left_out:
        return False
    around = {one for at in places for one in unit.code.branch_at(at)}
    uses = [at for at in occurrences(unit.code.code, name) if at not in places]
    return bool(uses) and not any(
        (left_out - around).isdisjoint(unit.code.branch_at(at)) for at in uses
    )


def _definitions(unit: Unit, keys: Keys, name: str) -> set[int]:
    """Where a name gets such a value, but for NVIDIA's branch beside one that has another."""
    given = definitions_in_file(unit.code, name)
    has_other = not all(re.match(keys.value, each.text) for each in given)
    return {
        unit.code.code.find(name, each.offset)
        for each in given
        if re.match(keys.value, each.text) and not (has_other and is_ported(unit, each.offset))
    }


def _variables(unit: Unit, keys: Keys, name: str) -> set[int]:
    """Where variables and parameters of a name are given such a value with their declaration."""
    return {
        each.name.start
        for each in variables_named(unit.declarations, name)
        if each.value and re.match(keys.value, unit.code.slice(each.value).lstrip("={ "))
    }
