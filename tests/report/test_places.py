"""What a person can click in a terminal: the whole of `path:line`, however narrow it is."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from hipport.model import FileReport, Finding, Position, Report, Severity
from hipport.report import rich as rich_report
from hipport.report.context import Context

LONG = f"{'deeply/nested/' * 12}a_kernel_with_a_long_name_that_no_terminal_is_wide_enough_for.cuh"


def finding(path: str, line: int, suggestion: str) -> Finding:
    place = Position(line, 1)
    return Finding("HP-A-001", Severity.MANUAL, "m", suggestion, "", path, place, place)


def terminal(report: Report, monkeypatch: pytest.MonkeyPatch, *, links: bool = False) -> str:
    """What a terminal of 80 columns gets."""
    monkeypatch.setenv("COLUMNS", "80")
    out = StringIO()
    if links:
        plain = Console
        monkeypatch.setattr(
            rich_report,
            "Console",
            lambda **given: plain(**given, force_terminal=True, color_system="standard"),
        )
    rich_report.write(report, out, Context(file_of=Path))
    return out.getvalue()


def test_paths_are_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report("audit", [FileReport(LONG, "cuda", "audited")], [finding(LONG, 12, "Do.")])
    lines = terminal(report, monkeypatch).splitlines()
    assert f"         {LONG}:12" in lines
    assert any(line.endswith(f"  {LONG}") for line in lines)


def test_places_and_files_can_be_clicked(monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report("audit", [FileReport(LONG, "cuda", "audited")], [finding(LONG, 12, "Do.")])
    text = terminal(report, monkeypatch, links=True)
    assert text.count("\x1b]8;") == 4  # two links, each begun and ended
    assert text.count(f"/{LONG}\x1b\\") == 2


def test_each_place_has_its_own_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report("audit", [FileReport("a.cu", "cuda", "audited")])
    report.findings = [finding("a.cu", 1, "Use one."), finding("a.cu", 2, "Use the other.")]
    lines = [line.rstrip() for line in terminal(report, monkeypatch).splitlines()]
    at = lines.index("         a.cu:1")
    assert lines[at : at + 4] == [
        "         a.cu:1",
        "           Use one.",
        "         a.cu:2",
        "           Use the other.",
    ]
    report.findings = [replace(each, suggestion="Use one.") for each in report.findings]
    text = terminal(report, monkeypatch)
    assert text.count("Use one.") == 1
