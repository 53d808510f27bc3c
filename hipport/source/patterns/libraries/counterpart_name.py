"""Names of libraries that have others for AMD GPUs: a backend, a memory space, a device type."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.hip_branches import names_port
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    counterparts: dict[str, str]
    """Name, or its beginning with `*` behind it -> the name for AMD, or what else to do."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each use of such a name, with the one for AMD, unless the file has that beside it."""
    counterparts = rule.read(Keys).counterparts
    for match in _names(tuple(counterparts)).finditer(unit.code.code):
        span, name = Span(*match.span("name")), match["name"]
        if counts(unit, rule, span.start) and not names_port(unit.code, unit.rules, name):
            listed = next(each for each in counterparts if _fits(each, name))
            unit.report(rule.id, span, name, {"instead": counterparts[listed]})


def _fits(name: str, found: str) -> bool:
    return found == name or (name.endswith("*") and found.startswith(name[:-1]))


@lru_cache(maxsize=8)
def _names(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    every = "|".join(re.escape(each).replace(r"\*", r"\w*") for each in longest_first)
    return re.compile(rf"(?<![\w.:>])(?:::)?(?P<name>{every})(?!\w)")
