"""Very many findings: the worst are kept, what is left out is said, order and size stay bounded."""

from __future__ import annotations

import json
import re
from io import StringIO

import pytest

from hipport.model import FileReport, Finding, Position, Report, Severity
from hipport.report.context import Context
from hipport.report.formats import write

MANY = 26_000


def many(number: int = MANY, message: str = "is in the way") -> Report:
    """So many findings, the worst of them last."""
    report = Report("audit", [FileReport("a.cu", "cuda", "audited")])
    for index in range(number):
        severity = Severity.BLOCKER if index >= number - 10 else Severity(index % 3)
        code = f"HP-{severity.name}-{index % 7:03}"
        place = Position(index + 1, 1)
        report.findings.append(
            Finding(code, severity, message, "Rewrite it.", "x", "a.cu", place, place)
        )
    return report


def written(report: Report, format_: str) -> str:
    out = StringIO()
    write(report, out, format_, Context())
    return out.getvalue()


@pytest.mark.slow
def test_sarif_keeps_the_worst_of_what_github_takes() -> None:
    (run,) = json.loads(written(many(), "sarif"))["runs"]
    assert len(run["results"]) == 25_000
    levels = [each["level"] for each in run["results"]]
    assert levels[:10] == ["error"] * 10
    assert levels == sorted(levels, key=["error", "warning", "note"].index)
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    said = "1,000 findings of lower severity did not fit and were left out."
    assert notice == {"level": "warning", "message": {"text": said}}


@pytest.mark.slow
def test_sarif_says_nothing_where_all_fits() -> None:
    (run,) = json.loads(written(many(25_000), "sarif"))["runs"]
    assert len(run["results"]) == 25_000
    assert "invocations" not in run


@pytest.mark.slow
def test_html_keeps_the_worst() -> None:
    page = written(many(), "html")
    assert page.count("<article ") == 5_000
    assert page.index('data-severity="blocker"') < page.index('data-severity="manual"')
    assert page.count('data-severity="blocker"') == 10
    assert "21,000 findings of lower severity are left out here; the JSON report has all." in page
    assert "left out here" not in written(many(5_000), "html")


def test_markdown_fits_into_a_comment() -> None:
    text = written(many(message="says much " * 40), "markdown")
    assert 20_000 < len(text) <= 60_000
    assert re.search(r"\nThe places of \d+ kinds of findings are left out for length\.\n", text)
    assert "- <code>a.cu:25991, 25998</code>" in text


@pytest.mark.parametrize("format_", ["text", "json", "github", "gitlab", "junit"])
def test_the_others_have_all(format_: str) -> None:
    text = written(many(300), format_)
    ends = {"text": "a.cu:", "github": "::error ", "json": '"line"', "gitlab": '"begin"'}
    if format_ == "github":
        assert len(text.splitlines()) == 300
    else:
        assert text.count(ends.get(format_, "<testcase ")) == 300


def test_text_ends_with_the_worst_kinds() -> None:
    assert written(many(300), "text").splitlines()[301:] == [
        "",
        "blocker HP-BLOCKER-003       2 in 1  HP-BLOCKER-003",
        "blocker HP-BLOCKER-004       2 in 1  HP-BLOCKER-004",
        "blocker HP-BLOCKER-005       2 in 1  HP-BLOCKER-005",
        "blocker HP-BLOCKER-000       1 in 1  HP-BLOCKER-000",
        "blocker HP-BLOCKER-001       1 in 1  HP-BLOCKER-001",
        "and 23 more kinds; hipport audit explain CODE says what to do",
        "",
        "Found in 1 of 1 file: 10 blocker, 96 manual, 97 review, 97 info",
    ]
