"""The effort estimate and the score, by hand."""

from __future__ import annotations

from msgspec.structs import replace

from hipport.model import FileReport, Finding, Position, Report, Severity
from hipport.report.effort import duration, effort_of, in_words, weights
from hipport.report.summary import busy_folder


def finding(code: str, severity: Severity, path: str, symbol: str = "") -> Finding:
    return Finding(code, severity, "m", "", symbol, path, Position(1, 1), Position(1, 2))


def test_what_is_known_costs_less() -> None:
    rule, blocker, review = weights().minutes, Severity.BLOCKER, Severity.REVIEW
    report = Report("audit")
    report.findings = [
        finding("HP-A-1", blocker, "a.cu", "one"),
        finding("HP-A-1", blocker, "a.cu", "two"),
        finding("HP-A-1", blocker, "b.cu", "three"),
        finding("HP-A-1", blocker, "c.cu", "one"),
        finding("HP-B-1", review, "tests/a.cu", "one"),
    ]
    effort = effort_of(report)
    first, *further = (rule[blocker][step] for step in ("kind", "again", "file", "same"))
    for each in further:
        first = first.plus(each)
    assert effort.work == first
    assert effort.apart == rule[review]["kind"]
    assert effort.by_file["b.cu"] == rule[blocker]["file"].likely
    assert effort.by_folder["tests/"] == rule[review]["kind"].likely
    whole = effort.work.likely + effort.apart.likely
    for numbers in (effort.by_file, effort.by_folder, effort.by_code, effort.by_severity):
        assert sum(numbers.values()) == whole


def test_folders_are_those_below_the_one_that_has_all() -> None:
    report = Report("audit")
    paths = ["p/vendor/x/src/a/1.cu", "p/vendor/x/src/a/b/2.cu", "p/vendor/x/tools/3.cu"]
    report.findings = [finding("HP-A-1", Severity.MANUAL, path, path) for path in paths]
    folders = {"p/vendor/x/src/a/", "p/vendor/x/tools/"}
    assert set(effort_of(report).by_folder) == folders
    report.findings.append(finding("HP-A-1", Severity.MANUAL, "setup.py"))
    assert set(effort_of(report).by_folder) == {"p/vendor/", "./"}


def test_one_decision_for_the_tree_is_paid_once() -> None:
    rule = weights().minutes[Severity.MANUAL]
    report = Report("audit")
    report.findings = [
        finding("HP-ENV-001", Severity.MANUAL, f"{number}.sh", f"variable {number}")
        for number in range(100)
    ]
    assert effort_of(report).work.likely == rule["kind"].likely + 99 * rule["same"].likely


def test_one_change_in_a_file_is_paid_once_a_file() -> None:
    rule = weights().minutes[Severity.MANUAL]
    report = Report("audit")
    report.findings = [
        finding("HP-INC-004", Severity.MANUAL, path, f"{path} {number}")
        for path in ("a.cu", "b.cu")
        for number in range(50)
    ]
    likely = rule["kind"].likely + rule["file"].likely + 98 * rule["same"].likely
    assert effort_of(report).work.likely == likely


def test_what_the_conversion_does_costs_nothing() -> None:
    report = Report("audit")
    report.findings = [replace(finding("HP-A-1", Severity.MANUAL, "a.cu"), fixed_by="convert")]
    assert in_words(effort_of(report)) == ""
    report.findings.append(finding("HP-A-1", Severity.MANUAL, "tests/a.cu"))
    assert in_words(effort_of(report)) == "about 22 min for tests, examples and CI"


def test_what_ports_took_besides_findings_is_told_apart() -> None:
    report = Report("audit", uses={"CUDA runtime": (60, 64), "cuBLAS": (40, 40)})
    low, likely, high = weights().around
    effort = effort_of(report)
    assert effort.around == (round(100 * low), round(100 * likely), round(100 * high))
    assert effort.work == effort.apart == (0, 0, 0)
    assert in_words(effort) == "about 8.8 h (3.0 h to 2.2 days) for changes without a finding"
    report.findings = [finding("HP-A-1", Severity.MANUAL, path) for path in ("a.cu", "tests/b.cu")]
    assert in_words(effort_of(report)) == (
        "about 22 min (10 min to 1.2 h) of work on findings, 1 min for tests, examples and CI, "
        "and 8.8 h (3.0 h to 2.2 days) for changes without a finding"
    )


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
