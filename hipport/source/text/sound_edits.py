"""Withdraws edits whose result has a syntax error that the original does not have."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from hipport.model import Edit, Span
from hipport.named_tuples import NamedTuple
from hipport.source.text.edits import apply, joined

UNREADABLE = "HP-EDIT-001"
_MOST_TRIES = 200

Errors = Callable[[bytes], int]
"""The number of errors in a text."""


class Sound(NamedTuple):
    """The edits that may be made, and those that may not."""

    kept: list[Edit]
    withdrawn: list[Edit]


def sound(data: bytes, edits: Iterable[Edit], errors: Errors) -> Sound:
    """The edits of a file parted by whether it can be read with them as well as without.

    Edits on one line stay or go together. A file in which too many would have to be tried has all
    of them withdrawn.
    """
    edits = list(edits)
    made = errors(apply(data, edits)) if edits else 0
    # The original is read only where there is something to excuse.
    allowed = errors(data) if made else 0
    if made <= allowed:
        return Sound(edits, [])
    groups = list(_by_line(data, edits))
    kept: list[Edit] = []
    withdrawn: list[Edit] = []
    for number, group in enumerate(groups):
        tried = number < _MOST_TRIES and errors(apply(data, [*kept, *group])) <= allowed
        (kept if tried else withdrawn).extend(group)
    return Sound(kept, withdrawn)


def _by_line(data: bytes, edits: list[Edit]) -> Iterator[list[Edit]]:
    group: list[Edit] = []
    for edit in sorted(edits, key=lambda each: each.span):
        if group and b"\n" in data[group[-1].span.end : edit.span.start]:
            yield group
            group = []
        group.append(edit)
    yield group


def sound_within(
    data: bytes,
    edits: Iterable[Edit],
    window: Callable[[Edit], Span | None],
    errors: Errors,
) -> Sound:
    """As `sound`, but only the stretches around the edits are read.

    `window` gives that of an edit, None where there is nothing to look at.
    """
    edits = sorted(edits, key=lambda each: each.span)
    starts = [each.span.start for each in edits]
    kept: list[Edit] = []
    withdrawn: list[Edit] = []
    done = 0
    for span in joined(sorted(filter(None, map(window, edits)))):
        first, last = bisect_left(starts, span.start), bisect_left(starts, span.end)
        inside = [each for each in edits[first:last] if each.span.end <= span.end]
        made = errors(apply(data, inside, span))
        is_sound = not made or made <= errors(data[span.start : span.end])
        kept += edits[done:first] + (edits[first:last] if is_sound else [])
        withdrawn += [] if is_sound else edits[first:last]
        done = last
    return Sound(kept + edits[done:], withdrawn)
