"""Where the patterns of a finding match in code."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.source_file import Unit
from hipport.source.text.quick_search import matches


def pattern_matches(unit: Unit, rule: FindingRule) -> Iterator[Span]:
    """What the patterns name `symbol`, or match as a whole; all of one pattern, then the next."""
    for pattern in filter(unit.code.may_match, rule.patterns):
        for match in matches(pattern, unit.code.code):
            yield Span(*match.span("symbol" if "symbol" in match.groupdict() else 0))
