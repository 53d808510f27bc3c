"""Which of an audit's findings `hipport convert` fixes: it edits there, and reports nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from hipport.model import Finding, Position, Severity, Span
from hipport.rulebook.finding_rules import CONVERT
from hipport.source.text.place_set import PlaceSet


def marked(
    found: Iterable[Finding],
    edited: Iterable[Span],
    position: Callable[[int], Position],
    left: Iterable[Finding] = (),
) -> list[Finding]:
    """The findings; those at places that a conversion edits are marked as fixed by it.

    `left` are the findings of the conversion: what it reports itself, it does not fix.
    """
    edits = PlaceSet((position(start), position(end)) for start, end in edited if end > start)
    reported = PlaceSet((each.start, each.end) for each in left if each.severity > Severity.INFO)
    return [
        replace(each, fixed_by=CONVERT)
        if edits.overlap(each) and not reported.overlap(each)
        else each
        for each in found
    ]
