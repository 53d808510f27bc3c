"""What a compiler said of all units, in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from hipport.model import Report
from hipport.report.context import count

_TOO_OLD = "HP-VER-007"
_WORDS = {
    "verified": ("compiles", "compile"),
    "rejected": ("has errors", "have errors"),
    "unchecked": (
        "was checked only in part: headers are missing",
        "were checked only in part: headers are missing",
    ),
    "failed": ("could not be parsed",) * 2,
}


_MOST_CAUSES = 8


def verdict_lines(report: Report) -> Iterator[str]:
    """The units, then what most errors come from; where the headers are too old, that first."""
    yield from (each.message for each in report.findings if each.code == _TOO_OLD)
    yield from (each.suggestion for each in report.findings if each.code == _TOO_OLD)
    yield verdicts(report)
    total = sum(report.causes.values())
    if total > 1:
        yield f"{total:,} errors, by what they come from:"
        for cause, number in islice(report.causes.items(), _MOST_CAUSES):
            yield f"{number:>6,}  {cause}"
        more = len(report.causes) - _MOST_CAUSES
        if more > 0:
            yield f"        and {count(more, 'more cause')}"


def verdicts(report: Report) -> str:
    """`3 units: 2 compile, 1 has errors`."""
    statuses = Counter(file.status for file in report.files)
    parts = [
        f"{statuses[each]} {words[statuses[each] > 1]}"
        for each, words in _WORDS.items()
        if statuses[each]
    ]
    return f"{count(statuses.total(), 'unit')}: {', '.join(parts)}"
