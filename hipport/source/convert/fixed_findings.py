"""Which of an audit's findings `hipport convert` fixes: it edits there, and reports nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

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
    places = [(position(start), position(end)) for start, end in edited if end > start]
    reported = [(each.start, each.end) for each in left if each.severity > Severity.INFO]
    return [
        replace(each, fixed_by=CONVERT)
        if _is_in(each, places) and not _is_in(each, reported)
        else each
        for each in found
    ]


def _is_in(finding: Finding, places: list[tuple[Position, Position]]) -> bool:
    return any(start < finding.end and finding.start < end for start, end in places)
