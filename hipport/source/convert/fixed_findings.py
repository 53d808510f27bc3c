"""Which of an audit's findings `hipport convert` sees to: where it edits, and says nothing more."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import accumulate

from hipport.model import Finding, Position, Severity, Span
from hipport.rulebook.finding_rules import CONVERT


def marked(
    found: Iterable[Finding],
    edited: Iterable[Span],
    position: Callable[[int], Position],
    left: Iterable[Finding] = (),
) -> list[Finding]:
    """The findings, those where a conversion edits marked as fixed by it.

    `left` are the findings of the conversion: what it reports itself, it does not fix.
    """
    edits = _Places((position(start), position(end)) for start, end in edited if end > start)
    reported = _Places((each.start, each.end) for each in left if each.severity > Severity.INFO)
    return [
        replace(each, fixed_by=CONVERT)
        if edits.overlap(each) and not reported.overlap(each)
        else each
        for each in found
    ]


class _Places:
    """Stretches of a file, sorted, with how far those up to each reach."""

    def __init__(self, places: Iterable[tuple[Position, Position]]) -> None:
        ordered = sorted(places)
        self._starts = [start for start, _ in ordered]
        self._reach = list(accumulate((end for _, end in ordered), max))

    def overlap(self, finding: Finding) -> bool:
        before = bisect_left(self._starts, finding.end)
        return before > 0 and self._reach[before - 1] > finding.start
