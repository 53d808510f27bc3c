"""Sets of lanes in braces, which do not convert them to 32 bits."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.wanted_types import wanted_in_braces
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    wide: Regex
    """Types that keep all 64 bits."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each call in the braces of a variable, unless what it initializes keeps 64 bits."""
    wide = rule.read(Keys).wide
    for name in sorted(unit.code.words.intersection(rule.names)):
        for span, kind in wanted_in_braces(unit.declarations, name):
            if not re.fullmatch(wide, kind) and counts(unit, rule, span.start):
                unit.report(rule.id, span, name)
