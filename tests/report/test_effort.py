"""The effort estimate and the score, by hand."""

from __future__ import annotations

from hipport.model import FileReport, Finding, Position, Report, Severity
from hipport.report.effort import duration, effort_of, weights
from hipport.report.summary import busy_folder


def finding(code: str, severity: Severity, path: str) -> Finding:
    return Finding(code, severity, "m", "", "", path, Position(1, 1), Position(1, 2))


def test_the_first_of_a_kind_in_a_file_costs_most() -> None:
    rule, blocker, review = weights(), Severity.BLOCKER, Severity.REVIEW
    report = Report("audit")
    report.findings = [
        finding("HP-A", blocker, "a.cu"),
        finding("HP-A", blocker, "a.cu"),
        finding("HP-A", blocker, "b.cu"),
        finding("HP-B", review, "a.cu"),
        finding("HP-B", review, "a.cu"),
    ]
    effort = effort_of(report)
    assert effort.by_severity[blocker] == 2 * rule.first[blocker] + rule.again[blocker]
    assert effort.by_severity[review] == rule.first[review] + rule.again[review]
    assert effort.by_file["b.cu"] == rule.first[blocker]
    assert effort.minutes == sum(effort.by_file.values()) == sum(effort.by_severity.values())


def test_the_score_counts_points() -> None:
    rule = weights()
    report = Report("audit")
    report.files = [
        FileReport("a.cu", "cuda", "audited"),
        FileReport("b.cu", "cuda", "audited"),
        FileReport("c.py", "python", "partial", reason="broken"),
        FileReport("README", "", "skipped"),
    ]
    report.uses = {"CUDA runtime": (3, 4)}
    report.findings = [finding("HP-A", Severity.MANUAL, "a.cu")]
    clear = 3 * rule.mapped_use + 1 * rule.clear_file
    assert effort_of(report).score == 100 * clear // (clear + rule.points[Severity.MANUAL])
    assert effort_of(Report("audit")).score == 100


def test_the_folder_that_has_most() -> None:
    report = Report("audit")
    report.findings = [finding("HP-A", Severity.MANUAL, "a/vendor/x/b.h")] * 20
    report.findings += [finding("HP-A", Severity.MANUAL, "a/vendor/c.h")] * 20
    report.findings += [finding("HP-A", Severity.INFO, "other.h")] * 90
    assert busy_folder(report) == ""  # too few to matter
    report.findings += [finding("HP-A", Severity.MANUAL, "a/d.h")] * 20
    assert busy_folder(report) == "66 % of them are in a/vendor/"
    report.findings += [finding("HP-A", Severity.MANUAL, "e.h")] * 60
    assert busy_folder(report) == ""


def test_durations_in_words() -> None:
    told = [duration(minutes) for minutes in (0, 59, 60, 959, 960, 480_000)]
    assert told == ["0 min", "59 min", "1.0 h", "16.0 h", "2.0 days", "1,000.0 days"]
