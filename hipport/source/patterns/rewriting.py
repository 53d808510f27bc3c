"""Edits of rules/rewrites: made, or kept as suggestions.

A safe rewrite is made at once. An unsafe one is made with --unsafe; else it is kept as the fix that
a finding at its place will show.
"""

from __future__ import annotations

from hipport.model import Edit, Span
from hipport.source.flow.device_code import is_ported
from hipport.source.source_file import Unit
from hipport.source.text.span_set import SpanSet


def rewrite(
    unit: Unit,
    rule: str,
    edits: list[tuple[Span, str]],
    answers: list[Span],
    evidence: str = "syntax",
) -> bool:
    """Make or suggest the edits; `answers` are the places of findings that they answer.

    False if they cannot be made, because another edit is in the way or the code was ported.
    """
    if any(not _is_free(unit, *each) or is_ported(unit, each[0].start) for each in edits):
        return False
    _make(unit, rule, edits, answers, evidence)
    return True


def replace(unit: Unit, rule: str, span: Span, new: str) -> bool:
    """Make or suggest an edit in place of those inside its span, but for what goes before it."""
    before = [each for each in unit.take_edits(span) if each.span.end == span.start]
    unit.edits.extend(before)
    return rewrite(unit, rule, [(span, new)], [span])


def rewrite_each(unit: Unit, rule: str, edits: list[tuple[Span, str]]) -> None:
    """Make or suggest each edit by itself; it answers the findings at its place."""
    taken = SpanSet(edit.span for edit in unit.edits)
    for span, new in edits:
        if not taken.overlap(span) and not is_ported(unit, span.start):
            _make(unit, rule, [(span, new)], [span], "syntax")


def _make(
    unit: Unit, rule: str, edits: list[tuple[Span, str]], answers: list[Span], evidence: str
) -> None:
    made = [Edit(span, new.encode("latin-1"), f"rewrite:{rule}", evidence) for span, new in edits]
    safety = unit.rules.edits[rule].safety
    if safety == "safe" or unit.options.unsafe:
        for span, new in edits:
            if not new:
                unit.take_edits(span)
        unit.edits.extend(made)
        unit.answered.add([*answers, *(span for span, _ in edits)])
    else:
        unit.fixes += [(span, f"rewrite:{rule}", safety, made) for span in answers]


def _is_free(unit: Unit, span: Span, new: str) -> bool:
    """Whether no other edit overlaps the span; what is deleted may have edits inside."""
    return not any(
        edit.span.start < span.end and span.start < edit.span.end
        for edit in unit.edits.near(span)
        if new or not span.start <= edit.span.start <= edit.span.end <= span.end
    )
