"""CUDA names that a macro pastes together: no rename can see them."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.rules import FindingRule
from hipport.source.unit import Unit

_PASTED = re.compile(r"(?:(\w+)\s*##\s*)+\w+")


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each pasting whose first part begins like a CUDA name."""
    for match in _PASTED.finditer(unit.code.code):
        first = re.match(r"\w+", match[0])
        parts = re.split(r"\s*##\s*", match[0])
        known = first and any(part in unit.rules.lines for part in parts)
        if known or unit.rules.stems.match(parts[0]):
            unit.report(rule.id, Span(*match.span()), re.sub(r"\s+", "", match[0]))
