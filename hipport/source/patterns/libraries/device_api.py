"""Calls of the host's API in device code: CUDA's device runtime has a part of it, HIP has none."""

from __future__ import annotations

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import device_bodies, in_device_code
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    libraries: tuple[str, ...]


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each function of the rule's libraries that device code calls."""
    keys = rule.read(Keys)
    if not device_bodies(unit):
        return
    for name in unit.uses:
        api = unit.rules.api(name)
        # What HIP lacks is said of each use; some of it is for device code alone.
        if not (api and api.hip and api.kind == "function" and api.library in keys.libraries):
            continue
        for use in unit.of((name,)):
            if in_device_code(unit, use.span.start):
                unit.report(rule.id, use.span, name)
