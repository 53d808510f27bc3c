"""What the reports of a trace show."""

from __future__ import annotations

import io
import json
import re
from html import unescape
from pathlib import Path

import pytest

from hipport.report.context import Context
from hipport.report.trace import write_to
from hipport.runs.trace import trace as run
from hipport.runs.trace_request import TraceRequest
from tests.support.command import hipport, make_tree
from tests.support.folders import FIXTURES
from tests.support.tracing import trace, traced

LIBRARIES = FIXTURES / "trace"
SOURCE = (LIBRARIES / "solver.hip").read_text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_tree(tmp_path, {"src/solver.hip": SOURCE})


def test_html_has_the_kernels_by_target(folder: Path) -> None:
    ran = trace(
        folder,
        "-o",
        "t.html",
        "--fail-on",
        "never",
        "src",
        LIBRARIES / "libfaults.so",
        LIBRARIES / "libsolver.so",
    )
    assert ran.code == 0, ran.err
    page = unescape(re.sub(r"<[^>]*>", " ", (folder / "t.html").read_text()))
    words = " ".join(page.split())
    assert (
        "Launch Kernel gfx942 src/solver.hip:16:9 relax(float*) 3 VGPRs, 1/8 waves (lds)" in words
    )
    assert "src/solver.hip:17:9 shift(float*) 2 VGPRs" in words
    assert "Portability" not in words and "API coverage" not in words


@pytest.mark.parametrize("columns", ["50", "80", "200"])
def test_a_terminal_has_whole_targets_and_messages(
    columns: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    source = FIXTURES / "trace" / "faults.hip"
    found = run(TraceRequest(source, (LIBRARIES / "libfaults.so",), isolated=True))
    out = io.StringIO()
    write_to(found.trace, found.report, Context(found.rules, found.lines), out, "rich")
    text = " ".join(out.getvalue().split())
    assert "target vgpr agpr sgpr lds scratch vspill sspill group reg waves" in text
    assert text.count("gfx1100 ") > 6 and "gfx1…" not in text and "Portability" not in text
    for each in found.report.findings:
        assert f"{each.severity.word} {each.code} {each.message}" in text


def test_paths_are_read_from_the_working_folder(folder: Path) -> None:
    found = traced(folder, "src", LIBRARIES / "libsolver.so")
    assert {each["path"] for each in found["launches"]} == {"src/solver.hip"}
    assert {each["path"] for each in found["findings"]} == {"src/solver.hip"}


def test_json_has_everything_about_a_launch(folder: Path) -> None:
    found = traced(folder, "src", LIBRARIES / "libsolver.so")
    launch = found["launches"][0]
    (kernel,) = launch.pop("kernels")
    (target,) = kernel.pop("targets")
    assert found["schema"] == "hipport-trace/1"
    assert launch == {
        "path": "src/solver.hip",
        "line": 16,
        "column": 9,
        "form": "<<<>>>",
        "kernel": "relax",
        "grid": {"text": "1024", "values": [1024]},
        "block": {"text": "64", "values": [64]},
        "dynamic_lds": {"text": "0", "values": [0]},
        "stream": "stream",
        "in_loop": True,
        "is_query": False,
        "certainty": "certain",
        "reason": "",
        "definition": {"path": "src/solver.hip", "line": 3, "column": 1, "name": "relax"},
    }
    assert kernel == {"name": "_Z5relaxPf", "readable": "relax(float*)"}
    assert (target["target"], target["vgpr"], target["lds"]) == ("gfx942", 3, 40960)
    assert target["registered"] is True
    assert target["occupancy"]["waves"] == 1 and target["occupancy"]["most"] == 8


def test_kernels_from_no_source_are_named(folder: Path) -> None:
    ran = trace(folder, "--fail-on", "never", "src", LIBRARIES / "libfaults.so")
    assert ran.code == 0, ran.err
    assert "8 kernels from none of these sources:\n  bounded(float*)  gfx1100 gfx90a" in ran.out
    assert ran.out.endswith("2 launches: 0 certain, 0 likely, 2 none; 8 kernels\n")


def test_a_binary_without_kernels_is_a_fault(folder: Path) -> None:
    make_tree(folder, {"empty/readme.txt": "nothing"})
    ran = trace(folder, "src", "empty")
    assert ran.code == 2
    assert ran.err == "hipport: empty: no file with device code in it\n"


def test_what_is_missing_is_named(folder: Path) -> None:
    ran = trace(folder, "nothing", LIBRARIES / "libsolver.so")
    assert (ran.code, ran.err) == (2, "hipport: nothing: no such file or folder (check the path)\n")


def test_the_configuration_decides_about_findings(folder: Path) -> None:
    make_tree(folder, {"hipport.toml": 'ignore = ["HP-TRACE-008"]\n'})

    ran = hipport("trace", "--format", "json", "src", LIBRARIES / "libsolver.so", cwd=folder)
    codes = [each["code"] for each in json.loads(ran.out)["findings"]]
    assert (ran.code, codes) == (1, ["HP-TRACE-007", "HP-TRACE-001"])
