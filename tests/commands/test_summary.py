"""What a person at a terminal sees of a conversion."""

from __future__ import annotations

import re
import socket
import sys
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from hipport.model import FileReport, Finding, Position, Report, Severity
from hipport.report.closing import Ending
from hipport.report.context import Context
from hipport.report.conversion_summary import write
from hipport.report.summary import counts
from hipport.rulebook.finding_rules import FindingRule
from tests.support import terminal
from tests.support.command import make_tree

CUDA = "int f(void **p) { return cudaMalloc(p, 4); }\n"


def summary(report: Report, *, width: int = 80, **ending: Any) -> str:
    """The summary as text without colours; blanks at the ends of lines are dropped."""
    out = StringIO()
    rules = {"HP-A-001": FindingRule("HP-A-001", Severity.MANUAL, "What it is", "", "")}
    write(report, Console(file=out, width=width), Context(rules), Ending(**ending))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def finding(path: str, line: int, code: str, severity: Severity) -> Finding:
    place = Position(line, 1)
    return Finding(code, severity, f"message of {code}", "", "x", path, place, place)


def test_nothing_left() -> None:
    report = Report("convert", [FileReport("a.cu", "cuda", "converted", "a.cu", 1)])
    report.uses = {"CUDA runtime": (3, 3), "cuBLAS": (10, 10)}
    assert summary(report, where="src_hip") == (
        "1 file: 1 converted; 1 edit; result in src_hip\n"
        "\n"
        "API           uses  mapped  share\n"
        "cuBLAS          10      10  100 %\n"
        "CUDA runtime     3       3  100 %\n"
        "\n"
        "Nothing is left to do by hand.\n"
    )


def test_files_with_findings_are_never_more_than_files() -> None:
    report = Report("verify", [FileReport("hip/a.cu", "cuda", "verified")])
    report.findings = [finding("hip/a.cu", 1, "HP-VER-004", Severity.REVIEW)] * 2
    assert counts(report).startswith("2 findings in 1 of 1 file: ")
    # What includes lead to is no unit of its own.
    report.findings += [finding(f"{name}.h", 1, "HP-VER-004", Severity.REVIEW) for name in "abab"]
    assert counts(report).startswith("6 findings in 3 files: ")


def test_findings_by_kind_and_file() -> None:
    report = Report("convert", [FileReport(name, "cuda", "unchanged") for name in "abc"])
    report.findings = [
        *(finding("a.cu", line, "HP-A-001", Severity.MANUAL) for line in (1, 2, 30, 40)),
        finding("b.cu", 5, "HP-A-001", Severity.MANUAL),
        finding("b.cu", 6, "HP-B-002", Severity.BLOCKER),
        finding("b.cu", 7, "HP-C-003", Severity.INFO),
        finding("c.cu", 8, "HP-C-003", Severity.INFO),
        finding("x" * 70, 9, "HP-D-004", Severity.REVIEW),
        finding("y", 10, "HP-D-004", Severity.REVIEW),
    ]
    report.uses = {"CUDA runtime": (199, 200)}
    assert summary(report, why="exit code 1: 6 findings are manual or worse") == (
        "3 files: 3 unchanged; 0 edits\n"
        "\n"
        "API           uses  mapped  share\n"
        "CUDA runtime   200     199   99 %\n"
        "\n"
        "10 findings: 1 blocker, 5 manual, 2 review, 2 info\n"
        "blocker  HP-B-002  HP-B-002\n"
        "         b.cu:6\n"
        "manual   HP-A-001  What it is  5×\n"
        "         a.cu:1\n"
        "         a.cu:2\n"
        "         a.cu:30\n"
        "         … 2 more in 2 files\n"
        "review   HP-D-004  HP-D-004  2×\n"
        f"         {'x' * 70}:9\n"
        "         y:10\n"
        "info     HP-C-003  HP-C-003  2×\n"
        "         b.cu:7\n"
        "         c.cu:8\n"
        "\n"
        "manual or worse  most to do in\n"
        "              4  a.cu\n"
        "              2  b.cu\n"
        "\n"
        "exit code 1: 6 findings are manual or worse\n"
    )


def test_only_the_worst_kinds_are_listed() -> None:
    report = Report("convert")
    report.findings = [finding("a", 1, f"HP-X-{number:03}", Severity.INFO) for number in range(10)]
    text = summary(report)
    assert "HP-X-007" in text
    assert "HP-X-008" not in text
    assert text.endswith("\n… and 2 more kinds\n")


def test_names_cannot_speak_to_the_terminal() -> None:
    name = "[bold]\x1b[31m\n\udcff.cu"
    report = Report("convert", [FileReport(name, "cuda", "converted", name, 1)])
    report.findings = [
        Finding("HP-X-001", Severity.MANUAL, name, "", name, each, Position(1, 1), Position(1, 2))
        for each in (name, "b")
    ]
    text = summary(report, where=name)
    assert text.count(r"[bold]\x1b[31m\n\xff.cu") == 3
    assert "\x1b" not in text


# The command on a terminal


def on_a_terminal(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """Exit code and everything a terminal of 80 columns shows, control sequences included."""
    command = [sys.executable, "-m", "hipport", "convert", *arguments]
    shown = terminal.on_a_terminal(command, cwd=folder, environment=environment)
    return shown.code, shown.written


COLOURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\\\")


def test_summary_and_colours(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {"a.cu": CUDA, "b.txt": ""})
    code, shown = on_a_terminal(tmp_path, "src")
    assert code == 0
    assert COLOURS.search(shown)
    assert COLOURS.sub("", shown).startswith(
        "2 files: 1 converted, 1 copied; 2 edits; result in src_hip\r\n"
    )


def test_no_color(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {"a.cu": CUDA + "int g = cudaDeviceFlushGPUDirectRDMAWrites();\n"})
    code, shown = on_a_terminal(tmp_path, "src", NO_COLOR="1")
    assert code == 1
    assert not re.search(r"\x1b\[(?:[0-9;]*;)?[34][0-9]", shown)
    assert "1 manual" in shown


def test_progress_is_shown_for_long_work_and_cleared(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {f"{number}.cu": CUDA for number in range(60)})
    make_tree(tmp_path / "src", {"bad.cu": b"\0"})
    code, shown = on_a_terminal(tmp_path, "src", "--jobs", "1")
    assert code == 2
    assert "Converting" in shown
    assert "100%" in shown
    lines = [COLOURS.sub("", line) for line in shown.split("\n")]
    assert any("hipport: src/bad.cu: binary data" in line for line in lines)
    assert "Converting" not in lines[-2]


def test_quiet_and_diff_print_no_summary(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {f"{number}.cu": CUDA for number in range(30)})
    assert on_a_terminal(tmp_path, "--quiet", "src") == (0, "")
    code, shown = on_a_terminal(tmp_path, "--diff", "src", "--quiet")
    assert (code, shown.count("+++ b/")) == (0, 30)
    assert "files: " not in shown


def test_places_open_their_files(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {"a b.cu": "int g = cudaDeviceFlushGPUDirectRDMAWrites();\n"})
    code, shown = on_a_terminal(tmp_path, "src")
    assert code == 1
    uri = f"file://{socket.gethostname()}{tmp_path}/src/a%20b.cu"
    assert re.search(rf"\x1b\]8;[^;]*;{re.escape(uri)}\x1b\\\S*src/a b.cu:1", shown)


def test_a_diff_is_coloured_on_a_terminal_alone(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": CUDA})
    _, shown = on_a_terminal(tmp_path, "--diff", "-q", "a.cu")
    assert "\x1b[32m+int f(void **p) { return hipMalloc(p, 4); }\x1b[0m\r\n" in shown
    assert "\x1b[31m-int f(void **p) { return cudaMalloc(p, 4); }\x1b[0m\r\n" in shown
    _, plain = on_a_terminal(tmp_path, "--diff", "-q", "a.cu", NO_COLOR="1")
    assert "\x1b" not in plain
    assert "\n-int f(void **p) { return cudaMalloc(p, 4); }\r\n" in plain
