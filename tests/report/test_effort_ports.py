"""The effort's calibration: what counts as a person's work, and that the rule says what it took."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hipport
from benchmarks.effort.fitting import MINUTES, fit, predictions
from benchmarks.effort.human_part import Change, changes
from benchmarks.effort.measure import File, row
from benchmarks.effort.pairs import lay_out, pairs
from benchmarks.effort.ports import Port, ports
from benchmarks.effort.table import PAGE, RESULTS, document
from hipport.model import Finding, Position, Report, Severity
from hipport.report.effort import weights

CUDA = b"""\
#include <cuda_runtime.h>
void CudaQueue::run(float *p, int n) {
  cudaMemset(p, 0, n); // start
  if (n > 4)
    step(p);
  scale<<<n, 256>>>(p);
  last(p, n);
}
"""


def changed(hip: bytes, cuda: bytes = CUDA) -> list[Change]:
    """What a person did besides the conversion."""
    return changes(cuda, hipport.convert(cuda, "a.cu").data, hipport.convert(hip, "a.hip").data)


def test_names_of_the_vendor_and_style_are_nobodys_work() -> None:
    hip = b"""\
#include "hip/hip_runtime.h"
void HIPQueue::run(float *p,
                   int n)
{
  hipMemset(p, 0, n);
  if (n > 4) { step(p); }
  hipLaunchKernelGGL(scale, n, 256, 0, 0, p);
  /* done */ last(p, n);
}
"""
    assert changed(hip) == []
    assert changed(CUDA) == []


def test_a_changed_statement_counts_at_its_line() -> None:
    hip = CUDA.replace(b"last(p, n);", b"last(p, 2 * n);\n  wait(p);").replace(b"cuda", b"hip")
    assert changed(hip) == [Change(7, 7, 2)]
    assert changed(CUDA.replace(b"step(p)", b"{ a(); b(); c(); }")) == [Change(5, 5, 3)]
    assert changed(CUDA.replace(b"  last(p, n);\n", b"")) == [Change(7, 7, 1)]


def test_what_only_moved_does_not_count() -> None:
    hip = CUDA.replace(b"  last(p, n);\n", b"").replace(b"  if (", b"  last(p, n);\n  if (")
    assert changed(hip) == []


def test_where_the_conversion_has_an_answer_the_ports_does_not_count() -> None:
    cuda = CUDA.replace(b"step(p);", b"p[0] = __shfl_down_sync(0xffffffff, p[0], 4);")
    hip = CUDA.replace(b"step(p);", b"p[0] = __shfl_down(p[0], 4, 32);")
    assert changed(hip, cuda) == []


def test_files_are_paired_by_their_paths(tmp_path: Path) -> None:
    for path in ("src/cuda/a.cu", "src/hip/a.cpp", "src/cuda/alone.cu", "src/b.cpp"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    port = Port("p", "", "", (), rename=(("/cuda/", "/hip/"), (".cu", ".cpp")))
    found = list(pairs(port, tmp_path))
    assert found == [("src/cuda/a.cu", b"src/cuda/a.cu", b"src/hip/a.cpp")]
    cuda, hip = lay_out(found, tmp_path / "out")
    assert (hip / "src/cuda/a.cu").read_bytes() == b"src/hip/a.cpp"
    assert (cuda / "src/cuda/a.cu").read_bytes() == b"src/cuda/a.cu"


def test_what_is_near_a_finding_is_counted_for_its_code() -> None:
    report = Report("audit", uses={"CUDA runtime": (30, 31)})
    for code, line in (("HP-A-1", 10), ("HP-A-2", 13), ("HP-A-2", 90)):
        place = Position(line, 1)
        report.findings.append(
            Finding(code, Severity.MANUAL, "m", "", f"{line}", "cuda/a.cu", place, place)
        )
    files = [File("a.cu", 500, [Change(11, 12, 6), Change(40, 41, 9)]), File("b.cu", 70, [])]
    found = row(files, report, "cuda/")
    assert (found["files"], found["statements"], found["uses"]) == (2, 570, 30)
    assert (found["changes"], found["written"], found["at_findings"]) == (2, 15, 6)
    assert found["codes"] == {"HP-A-1": [1, 1, 3.0], "HP-A-2": [2, 1, 3.0]}
    assert found["findings"] == {"blocker": 0, "manual": 3, "review": 0}


def port(factor: float, per_use: float) -> dict[str, Any]:
    """A port that took `factor` times its 100 likely minutes, and so much for each of 100 uses."""
    at_findings, beside = factor * 100 / MINUTES, per_use * 100 / MINUTES
    return {
        "minutes": [50, 100, 300], "uses": 100, "written": at_findings + beside,
        "at_findings": at_findings,
    }  # fmt: skip


def test_the_fit_is_the_middle_of_the_ports() -> None:
    found = fit([port(0.5, 1), port(1, 2), port(2, 4), port(1, 2)])
    assert found.factor == pytest.approx(1)
    assert found.use[1] == pytest.approx(2)
    assert found.use[0] < 2 < found.use[2]


def test_no_port_has_a_part_in_its_own_prediction() -> None:
    rows = {"a": port(1, 2), "b": port(1, 2), "c": port(1, 2), "odd": port(4, 40)}
    *_, odd = predictions(rows)
    assert odd.foretold_at_findings == pytest.approx(100 / 60)
    assert odd.foretold_around == pytest.approx(200 / 60)
    assert odd.at_findings == pytest.approx(400 / 60)
    assert not odd.is_within


def test_the_rule_is_what_the_ports_say() -> None:
    """Measured anew, fit says other numbers: then rules/effort.toml and the page follow."""
    results = json.loads(RESULTS.read_text("utf-8"))
    assert set(results) == {each.name for each in ports()}
    found = fit(list(results.values()))
    assert 0.8 < found.factor < 1.25
    assert weights().around == pytest.approx(found.use, rel=0.05)
    assert PAGE.read_text("utf-8") == document(results)
