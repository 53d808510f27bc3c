"""What a compiler said of all units, in one line."""

from __future__ import annotations

from collections import Counter

from hipport.model import Report
from hipport.report.context import count

_WORDS = {
    "verified": "compile",
    "rejected": "have errors",
    "unchecked": "were checked in part only, as headers are missing",
    "failed": "could not be parsed",
}


def verdicts(report: Report) -> str:
    """`3 units: 2 compile, 1 have errors`."""
    statuses = Counter(file.status for file in report.files)
    parts = [f"{statuses[each]} {text}" for each, text in _WORDS.items() if statuses[each]]
    return f"{count(statuses.total(), 'unit')}: {', '.join(parts)}"
