"""What the upper part of the HTML report shows: charts, kinds, files, what was not read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hipport.errors import printable
from hipport.model import Report, Severity
from hipport.named_tuples import NamedTuple
from hipport.report.context import Context
from hipport.report.effort import duration, effort_of
from hipport.report.summary import (
    Kind,
    Unread,
    counts,
    hot_files,
    kinds,
    libraries,
    unread_by_reason,
    unread_counts,
    work,
)

_MOST_KINDS = 12
_MOST_FILES = 12
_MOST_LIBRARIES = 8
_MOST_UNREAD = 50
_LONGEST_LABEL = 30
_BARS = 320
_RADIUS = 44
_OPTIONS = {"rocm": "ROCm", "targets": "GPUs"}


class Rows(NamedTuple):
    """The first rows of a table, and how many more there are."""

    shown: Sequence[Any]
    more: int


class Bar(NamedTuple):
    """One bar of a chart: what share of its ground is filled, from 0 to 1."""

    label: str
    number: str
    share: float
    kind: str

    @property
    def short(self) -> str:
        """The label, cut where the chart has no more room."""
        label = printable(self.label)
        return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"

    @property
    def filled(self) -> float:
        """Its width in the units of the chart, of 320."""
        return round(_BARS * min(max(self.share, 0.0), 1.0), 1)


class Ring(NamedTuple):
    """How much of the ring around the score is drawn, and its whole length."""

    part: str
    length: str


class Overview:
    """The facts of the upper part, each computed when the template asks for it."""

    def __init__(self, report: Report, context: Context) -> None:
        self._report = report
        self._context = context
        self._effort = effort_of(report)
        self._numbers = Counter(each.severity for each in report.findings)

    def about(self) -> str:
        """In how many files there are findings, and what was not read."""
        return " · ".join(filter(None, (counts(self._report), unread_counts(self._report))))

    def subject(self) -> list[tuple[str, str]]:
        """What was audited, when, and what for: label, value."""
        options = self._report.options
        rows = [(_OPTIONS.get(key, key), value) for key, value in options.items()]
        if "targets" not in options:
            rows.append((_OPTIONS["targets"], "all of AMD's"))
        if each := self._context.subject:
            rows = [("Path", each.path), ("Commit", each.commit), ("Date", each.date), *rows]
        return [(label, value) for label, value in rows if value]

    def work(self) -> str:
        """How many findings a conversion fixes, and how many need a person."""
        return work(self._report)

    def ring(self) -> Ring:
        """The ring around the score, closed as far as the score says."""
        length = 2 * math.pi * _RADIUS
        return Ring(f"{length * self._effort.score / 100:.1f}", f"{length:.1f}")

    def severities(self) -> list[Bar]:
        """A bar for each severity, the worst first."""
        most = max(self._numbers.values(), default=1)
        return [
            Bar(
                each.word,
                f"{self._numbers[each]:,} · {duration(self._effort.by_severity[each])}",
                self._numbers[each] / most,
                each.word,
            )
            for each in sorted(Severity, reverse=True)
        ]

    def coverage(self) -> str:
        """`94 % of 1,234 uses of CUDA's APIs are renamed by rule`; "" where there are none."""
        mapped = sum(mapped for mapped, _ in self._report.uses.values())
        uses = sum(uses for _, uses in self._report.uses.values())
        share = 100 * mapped // max(uses, 1)
        return f"{share} % of {uses:,} uses of CUDA's APIs are renamed by rule" if uses else ""

    def libraries(self) -> Rows:
        """A bar for each library: the share of its uses that a rule renames."""
        bars = [
            Bar(library, f"{mapped:,} of {uses:,}", mapped / max(uses, 1), "good")
            for library, mapped, uses in libraries(self._report)
        ]
        return _first(bars, _MOST_LIBRARIES)

    def kinds(self) -> Rows:
        """The kinds of findings that need a person, those to begin with first."""
        by_hand = (each for each in self._report.findings if each.needs_person)
        found: list[Kind] = kinds(by_hand, self._context)
        return _first(found, _MOST_KINDS)

    def folders(self) -> Rows:
        """The folders with most to do: path, likely minutes."""
        ranked = self._effort.by_folder.most_common()
        return _first([each for each in ranked if each[1]], _MOST_FILES)

    def files(self) -> Rows:
        """The files with most to do: path, number of findings, minutes."""
        minutes = self._effort.by_file
        ranked = [
            (path, number, minutes[path]) for path, number in hot_files(self._report, self._effort)
        ]
        return _first(ranked, _MOST_FILES)

    def unread(self) -> Rows:
        """The files that were not read, or only in part, by reason."""
        groups: list[Unread] = unread_by_reason(self._report)
        return _first(groups, _MOST_UNREAD)


def _first(rows: Sequence[Any], most: int) -> Rows:
    return Rows(rows[:most], max(len(rows) - most, 0))
