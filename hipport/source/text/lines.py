"""Where the lines of a text begin."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

_FEW = 8  # lines are looked for one by one: to list all takes as long.


class Lines:
    """Finds the lines of a text; they count from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._asked = 0

    def at(self, offset: int) -> tuple[int, int]:
        """The number of the line at an offset, and where it begins."""
        self._asked += 1
        if self._asked <= _FEW:
            text = self._text
            return text.count("\n", 0, offset) + 1, text.rfind("\n", 0, offset) + 1
        number = bisect_right(self._starts, offset)
        return number, self._starts[number - 1]

    def start(self, number: int) -> int:
        """The offset at which a line begins."""
        return self._starts[number - 1]

    @cached_property
    def _starts(self) -> list[int]:
        lengths = map((1).__add__, map(len, self._text.split("\n")))
        return [0, *accumulate(lengths)][:-1]
