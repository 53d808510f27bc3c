"""Adds up what became of many files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from hipport.model import Finding, Report, Severity
from hipport.source.project import Outcome
from hipport.source.rules import load

_ABOUT_HEADERS = ("HP-INC-003", "HP-API-009")


def report_of(outcomes: Iterable[Outcome]) -> Report:
    """The report over all files.

    Doubts about names and headers are dropped where another file of the tree declares the name,
    or is the header.
    """
    report = Report("convert")
    declared: set[str] = set()
    counts: Counter[tuple[str, bool]] = Counter()
    shared: dict[str, str] = {}
    for outcome in outcomes:
        report.files.append(outcome.file)
        report.findings.extend(_sharing(each, shared) for each in outcome.findings)
        report.edits.extend(outcome.explained)
        counts += outcome.counts
        declared |= outcome.declared
    own = declared | _own_headers(report)
    report.findings = [
        each for each in report.findings if not (each.symbol in own and _is_doubt(each))
    ]
    for library in sorted({library for library, _ in counts}):
        title = load().libraries[library].title if library in load().libraries else library
        mapped = counts[library, True]
        report.uses[title] = (mapped, mapped + counts[library, False])
    return report


def _sharing(finding: Finding, shared: dict[str, str]) -> Finding:
    """The finding, its texts those of others that say the same: most say what many do."""

    def same(text: str) -> str:
        return shared.setdefault(text, text)

    return replace(
        finding,
        code=same(finding.code),
        message=same(finding.message),
        suggestion=same(finding.suggestion),
        symbol=same(finding.symbol),
    )


def _is_doubt(finding: Finding) -> bool:
    """Whether a finding holds only if the name is CUDA's: unknown names, and common words."""
    if finding.code == "HP-API-001":
        return finding.severity == Severity.REVIEW
    return finding.code in ("HP-API-002", *_ABOUT_HEADERS)


def _own_headers(report: Report) -> set[str]:
    """The doubtful headers that are files of the tree itself."""
    doubtful = {each.symbol for each in report.findings if each.code in _ABOUT_HEADERS}
    paths = {f"/{file.path}" for file in report.files} if doubtful else set()
    return {name for name in doubtful if any(path.endswith(f"/{name}") for path in paths)}
