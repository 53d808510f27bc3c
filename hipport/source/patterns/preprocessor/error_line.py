"""#error lines that ask for CUDA: a port stops at them."""

from __future__ import annotations

import re

import msgspec

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.hip_branches import false_branches
from hipport.source.source_file import Unit
from hipport.source.text.conditions import decided


class Keys(RuleKeys, frozen=True):
    says: Regex
    undefined: frozenset[str] = frozenset()
    """Macros without which a condition may leave the line out: then nothing stops."""
    defined: dict[str, int] = msgspec.field(default_factory=dict)
    """Macros that HIP's compilers define for all code, and their values."""
    answered: Regex = Regex("")
    """Conditions that conversion answers for HIP, by the group `sign` of their comparison."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each #error whose text speaks of CUDA, unless HIP's compilers leave it out."""
    keys = rule.read(Keys)
    errors = [
        each
        for each in unit.code.directives
        if each.keyword == "error"
        and re.search(keys.says, unit.code.slice(each.body))
        and counts(unit, rule, each.span.start)
    ]
    if not errors:
        return
    left_out = false_branches(unit.code, lambda each: _decided(each, keys))
    for each in errors:
        if not unit.code.is_in(left_out, each.span.start):
            text = " ".join(unit.code.slice(each.body).split())
            unit.report(rule.id, each.span, text.strip('"'))


def _decided(condition: str, keys: Keys) -> bool | None:
    """Whether a condition holds for HIP, as conversion leaves it; None if nothing says so."""
    match = re.fullmatch(keys.answered, condition.strip()) if keys.answered else None
    return (
        match["sign"].startswith(">") if match else decided(condition, keys.undefined, keys.defined)
    )
