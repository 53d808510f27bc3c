"""Combines the outcomes of many files into one report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from hipport.model import Finding, Report, Severity
from hipport.rulebook.load import load
from hipport.source.tree.file_task import Outcome
from hipport.spool import Spool

_ABOUT_HEADERS = ("HP-INC-002", "HP-INC-003", "HP-API-009", "HP-LIB-028")


def report_of(outcomes: Iterable[Outcome]) -> Report:
    """The report on all files.

    Drops doubts about a name or header if another file of the tree declares the name
    or is the header.
    """
    report = Report("convert", files=Spool(), findings=Spool(), edits=Spool())
    declared: set[str] = set()
    counts: Counter[tuple[str, bool]] = Counter()
    doubtful: set[str] = set()
    headers: set[str] = set()
    for outcome in outcomes:
        report.files.append(outcome.file)
        report.findings.extend(outcome.findings)
        report.edits.extend(outcome.explained)
        doubtful.update(each.symbol for each in outcome.findings if _is_doubt(each))
        headers.update(each.symbol for each in outcome.findings if each.code in _ABOUT_HEADERS)
        counts.update(outcome.counts)
        declared |= outcome.declared
    own = doubtful & (declared | _own_headers(report, headers))
    if own:
        report.findings = Spool(
            each for each in report.findings if not (each.symbol in own and _is_doubt(each))
        )
    for library in sorted({library for library, _ in counts}):
        title = load().libraries[library].title if library in load().libraries else library
        mapped = counts[library, True]
        report.uses[title] = (mapped, mapped + counts[library, False])
    return report


def _is_doubt(finding: Finding) -> bool:
    """Whether a finding is true only if the name is CUDA's: unknown names, and common words."""
    if finding.code == "HP-API-001":
        return finding.severity == Severity.REVIEW
    return finding.code in ("HP-API-002", *_ABOUT_HEADERS)


def _own_headers(report: Report, doubtful: set[str]) -> set[str]:
    """The doubtful headers that are files of the tree."""
    ends: dict[str, list[str]] = defaultdict(list)
    for name in doubtful:
        ends[name.rpartition("/")[2]].append(name)
    return {
        name
        for file in (report.files if doubtful else ())
        for name in ends.get(file.path.rpartition("/")[2], ())
        if f"/{file.path}".endswith(f"/{name}")
    }
