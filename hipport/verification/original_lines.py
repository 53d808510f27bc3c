"""Which line of the original a line of the converted file was."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import takewhile

_LONG = 20_000


def original_lines(old: bytes, new: bytes) -> list[int]:
    """For each line of the new text, from the first, the number of the old line it was."""
    one, two = old.split(b"\n"), new.split(b"\n")
    before = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
    left, right = one[before:], two[before:]
    pairs = zip(reversed(left), reversed(right), strict=False)
    after = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    left, right = left[: len(left) - after], right[: len(right) - after]
    numbers = list(range(1, before + 1))
    # Long texts in which all lines differ take too long to compare: lines are paired in order.
    if max(len(left), len(right)) > _LONG:
        opcodes = [("replace", 0, len(left), 0, len(right))]
    else:
        opcodes = list(SequenceMatcher(None, left, right, autojunk=False).get_opcodes())
    for _, start, stop, new_start, new_stop in opcodes:
        for index in range(new_stop - new_start):
            at = min(start + index, max(stop - 1, start), max(len(left) - 1, 0))
            numbers.append(before + at + 1)
    last = len(one) - after
    numbers += range(last + 1, last + 1 + after)
    return [min(each, len(one)) for each in numbers]
