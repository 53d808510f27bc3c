"""Reductions in shared memory whose last steps have no barrier between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit

_FEWEST_STEPS = 3
_GAP = 160
_VOLATILE = "volatile"
_DISTANCE = regex(r"\+\s*\d+[uU]?\s*\]")


class Keys(RuleKeys, frozen=True):
    step: Regex
    barriers: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first step of each run of at least three without a barrier."""
    keys = rule.read(Keys)
    text = unit.code.code
    runs: dict[str, list[re.Match[str]]] = {}
    """The steps on each array: those on several may take turns."""
    for match in _steps(keys.step, text):
        run = runs.setdefault(match["array"], [])
        if run and not _continues(rule, text, run[-1], match):
            _report(unit, rule, run)
            run.clear()
        run.append(match)
    for run in runs.values():
        _report(unit, rule, run)


def _steps(step: str, text: str) -> Iterator[re.Match[str]]:
    """All steps, looked for in the statements where a distance is added to an index."""
    shape, done = re.compile(step), 0
    for distance in _DISTANCE.finditer(text):
        start = max(done, text.rfind(";", done, distance.start()) + 1)
        for match in shape.finditer(text, start, distance.end()):
            yield match
            done = match.end()


def _continues(rule: FindingRule, text: str, previous: re.Match[str], match: re.Match[str]) -> bool:
    """Whether a step follows the one before on its array: no larger distance, no barrier."""
    keys = rule.read(Keys)
    between = text[previous.end() : match.start()]
    return (
        int(match["distance"]) <= int(previous["distance"])
        and len(between) < _GAP
        and not re.search(keys.barriers, between)
    )


def _report(unit: Unit, rule: FindingRule, run: list[re.Match[str]]) -> None:
    # Parts of a vector have the same distance.
    steps = {each["distance"] for each in run}
    if len(steps) >= _FEWEST_STEPS and counts(unit, rule, run[0].start()):
        # Without it, the compiler may keep in registers what other lanes are to read.
        severity = None if _VOLATILE in unit.code.words else Severity.MANUAL
        unit.report(rule.id, Span(*run[0].span("array")), run[0]["array"], severity=severity)
