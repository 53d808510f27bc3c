"""Rewrites of code for wavefronts of 64 lanes, as rules/rewrites.toml describes them.

A safe rewrite is made at once. An unsafe one is made with --unsafe; else it is kept as the fix that
a finding at its place will show.
"""

from __future__ import annotations

from hipport.model import Edit, Span
from hipport.source.device_code import is_ported
from hipport.source.unit import Unit


def rewrite(unit: Unit, rule: str, edits: list[tuple[Span, str]], settles: list[Span]) -> bool:
    """Make or suggest the edits; `settles` are the places of findings that they answer.

    False if they cannot be made, because another edit stands in the way or the code was ported.
    """
    if any(not _is_free(unit, span) or is_ported(unit, span.start) for span, _ in edits):
        return False
    made = [Edit(span, new.encode("latin-1"), f"rewrite:{rule}") for span, new in edits]
    safety = unit.rules.rewrites[rule]["safety"]
    if safety == "safe" or unit.options.unsafe:
        unit.edits += made
        unit.settled += settles + [span for span, _ in edits]
    else:
        unit.fixes += [(span, f"rewrite:{rule}", safety, made) for span in settles]
    return True


def _is_free(unit: Unit, span: Span) -> bool:
    return not any(edit.span.start < span.end and span.start < edit.span.end for edit in unit.edits)
