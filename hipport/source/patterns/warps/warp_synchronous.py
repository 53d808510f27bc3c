"""Reductions and scans in shared memory whose steps have no barrier between them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.branches import Branch, branches_in, enclosing
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import functions
from hipport.source.names.variables import variable
from hipport.source.source_file import Unit

_FEWEST_STEPS = 3
_GAP = 160
_LONGEST = 600
"""Characters of a loop over lanes."""
_VOLATILE = "volatile"
_DISTANCE = regex(r"[-+]\s*\d+[uU]?\s*\]")
_NAMED_DISTANCE = regex(r"[-+]\s*[A-Za-z_]\w*\s*\]")
_BACK = "-"


class Keys(RuleKeys, frozen=True):
    step: Regex
    """A step by a number of elements."""
    step_in_loop: Regex
    """One by a variable."""
    changed: str
    """How a loop halves or doubles the `{name}` of a variable."""
    barriers: Regex
    memory: frozenset[str]
    """Words of variables that other threads read."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first step of each run of at least three without a barrier."""
    keys = rule.read(Keys)
    _find_loops(unit, rule, keys)
    text = unit.code.code
    runs: dict[str, list[re.Match[str]]] = {}
    """The steps on each array: those on several may take turns."""
    for match in _steps(keys.step, _DISTANCE, text):
        run = runs.setdefault(match["array"], [])
        if run and not _continues(rule, text, run[-1], match):
            _report(unit, rule, run)
            run.clear()
        run.append(match)
    for run in runs.values():
        _report(unit, rule, run)


def _find_loops(unit: Unit, rule: FindingRule, keys: Keys) -> None:
    """Report the step in each loop that halves or doubles its distance without a barrier."""
    text = unit.code.code
    steps = {each.start(): each for each in _steps(keys.step_in_loop, _NAMED_DISTANCE, text)}
    starts = sorted(steps)
    for function in functions(unit.code, unit.rules) if steps else ():
        first, last = (bisect_left(starts, at) for at in function.body)
        if first == last:
            continue
        loops = [each for each in branches_in(unit.code, function.body) if each.is_loop]
        for at, around in enclosing(loops, starts[first:last]):
            loop = max(around, key=lambda each: each.head, default=None)
            if loop and _is_by_step(text, keys, loop, steps[at]):
                _report_shared(unit, rule, steps[at])


def _is_by_step(text: str, keys: Keys, loop: Branch, step: re.Match[str]) -> bool:
    start = min(loop.head, loop.body.start)
    if loop.end - start > _LONGEST:
        return False
    whole = text[start : loop.end]
    changed = keys.changed.replace("{name}", step["distance"])
    return bool(re.search(changed, whole)) and not re.search(keys.barriers, whole)


def _report_shared(unit: Unit, rule: FindingRule, step: re.Match[str]) -> None:
    found = variable(unit.declarations, step["array"], step.start())
    words = frozenset(found.words) & rule.read(Keys).memory if found else frozenset()
    if words and counts(unit, rule, step.start()):
        severity = None if _VOLATILE in words else Severity.MANUAL
        unit.report(rule.id, Span(*step.span("array")), step["array"], severity=severity)


def _steps(step: str, distances: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """All steps, looked for in the statements where one of the distances is in an index."""
    shape, done = re.compile(step), 0
    for distance in distances.finditer(text):
        start = max(done, text.rfind(";", done, distance.start()) + 1)
        for match in shape.finditer(text, start, distance.end()):
            yield match
            done = match.end()


def _continues(rule: FindingRule, text: str, previous: re.Match[str], match: re.Match[str]) -> bool:
    """Whether a step follows the one before on its array, without a barrier.

    A reduction reaches no farther than before, a scan reaches back twice as far. Parts of a vector
    have the same distance.
    """
    keys = rule.read(Keys)
    between = text[previous.end() : match.start()]
    now, before = int(match["distance"]), int(previous["distance"])
    follows = now in (before, 2 * before) if match["sign"] == _BACK else now <= before
    return (
        follows
        and match["sign"] == previous["sign"]
        and len(between) < _GAP
        and not re.search(keys.barriers, between)
    )


def _report(unit: Unit, rule: FindingRule, run: list[re.Match[str]]) -> None:
    steps = {each["distance"] for each in run}
    if len(steps) >= _FEWEST_STEPS and counts(unit, rule, run[0].start()):
        # Without it, the compiler may keep in registers what other lanes are to read.
        severity = None if _VOLATILE in unit.code.words else Severity.MANUAL
        unit.report(rule.id, Span(*run[0].span("array")), run[0]["array"], severity=severity)
