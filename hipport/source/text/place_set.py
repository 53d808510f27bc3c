"""Places of a file, to ask again and again whether a finding overlaps one of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate

from hipport.model import Finding, Position


class PlaceSet:
    """Where places begin, in order, and how far those up to each reach."""

    def __init__(self, places: Iterable[tuple[Position, Position]]) -> None:
        ordered = sorted(places)
        self._starts = [start for start, _ in ordered]
        self._reach = list(accumulate((end for _, end in ordered), max))

    def overlap(self, finding: Finding) -> bool:
        before = bisect_left(self._starts, finding.end)
        return before > 0 and self._reach[before - 1] > finding.start
