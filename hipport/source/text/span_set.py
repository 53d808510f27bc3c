"""Spans of a file that are asked, again and again, whether one of them overlaps another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate

from hipport.model import Span


class SpanSet:
    """A growing set of spans; sorted when it is asked, so that many questions are quick."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._spans = list(spans)
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, spans: Iterable[Span]) -> None:
        self._spans.extend(spans)

    def __iter__(self) -> Iterator[Span]:
        return iter(self._spans)

    def overlap(self, span: Span) -> bool:
        """Whether a span has a character in common with one of these."""
        if len(self._starts) != len(self._spans):
            self._spans.sort()
            self._starts = [each.start for each in self._spans]
            self._ends = list(accumulate((each.end for each in self._spans), max))
        before = bisect_left(self._starts, span.end)
        return before > 0 and self._ends[before - 1] > span.start
