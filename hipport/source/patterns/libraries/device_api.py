"""Calls of the host's API in device code: CUDA's device runtime has a part of it, HIP has none."""

from __future__ import annotations

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import device_bodies, device_body_at
from hipport.source.source_file import Unit
from hipport.source.text.brackets import LAUNCH


class Keys(RuleKeys, frozen=True):
    libraries: tuple[str, ...]
    of_launches: frozenset[str] = frozenset()
    """What waits for kernels that the function has launched, or asks how they fared: it goes with
    them, which have a finding of their own."""


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
            body = device_body_at(unit, use.span.start)
            if body is None:
                continue
            if name in keys.of_launches and LAUNCH.search(
                unit.code.code, body.start, use.span.start
            ):
                continue
            unit.report(rule.id, use.span, name)
