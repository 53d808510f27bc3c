"""Reductions in shared memory whose last steps have no barrier between them."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.run_checks import counts
from hipport.source.source_file import Unit

_FEWEST_STEPS = 3
_GAP = 160


def check(unit: Unit, rule: FindingRule) -> None:
    """Report the first step of each run of at least three without a barrier."""
    text = unit.code.code
    run: list[re.Match[str]] = []
    for match in re.finditer(rule.data["step"], text):
        if run and not _continues(rule, text, run[-1], match):
            _report(unit, rule, run)
            run = []
        run.append(match)
    _report(unit, rule, run)


def _continues(rule: FindingRule, text: str, previous: re.Match[str], match: re.Match[str]) -> bool:
    """Whether a step follows the one before: the same array, a smaller distance, no barrier."""
    between = text[previous.end() : match.start()]
    return (
        match["array"] == previous["array"]
        and int(match["distance"]) < int(previous["distance"])
        and len(between) < _GAP
        and not re.search(rule.data["barriers"], between)
    )


def _report(unit: Unit, rule: FindingRule, run: list[re.Match[str]]) -> None:
    if len(run) >= _FEWEST_STEPS and counts(unit, rule, run[0].start()):
        unit.report(rule.id, Span(*run[0].span("array")), run[0]["array"])
