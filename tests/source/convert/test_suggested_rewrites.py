"""Rewrites that are only suggested: the finding's fix is exactly what --unsafe does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hipport.rulebook.load import load
from tests.support.command import hipport, make_tree
from tests.support.converting import convert
from tests.support.source_cases import CASES
from tests.support.source_cases import load as load_case

SOURCE = """\
#include <cuda_runtime.h>
// naïve
__global__ void __launch_bounds__(256, 4) k(int *x) { x[0] = int(__fma_rz(x[0], 1.0, 2.0) + 0.5); }
"""


def report(folder: Path, *options: str) -> dict[str, Any]:
    (folder / "a.cu").write_text(SOURCE, encoding="utf-8")
    hipport("convert", *options, "a.cu", "-o", "out", "--report", "report.json", cwd=folder)
    found: dict[str, Any] = json.loads((folder / "report.json").read_text("utf-8"))
    return found


def test_the_report_carries_the_edits(tmp_path: Path) -> None:
    fixes = {each["code"]: each.get("fix") for each in report(tmp_path)["findings"]}
    assert fixes == {
        "HP-LAUNCH-001": {
            "rule": "rewrite:launch-bounds-waves",
            "safety": "unsafe",
            "edits": [
                {
                    "line": 3,
                    "column": 40,
                    "end_line": 3,
                    "end_column": 41,
                    "text": "(256 * 4 + 127) / 128",
                }
            ],
        },
        "HP-MATH-001": {
            "rule": "rewrite:rounding-mode",
            "safety": "unsafe",
            "edits": [{"line": 3, "column": 72, "end_line": 3, "end_column": 74, "text": "rn"}],
        },
    }


def test_the_suggestion_shows_the_text(tmp_path: Path) -> None:
    suggestions = {each["code"]: each["suggestion"] for each in report(tmp_path)["findings"]}
    assert suggestions["HP-MATH-001"].endswith(" --unsafe writes `rn`.")


def test_with_unsafe_the_edits_are_made_and_nothing_is_left(tmp_path: Path) -> None:
    assert report(tmp_path, "--unsafe")["findings"] == []
    output = (tmp_path / "out" / "a.cu").read_text("utf-8")
    assert output == SOURCE.replace("<cuda_runtime.h>", "<hip/hip_runtime.h>").replace(
        "(256, 4)", "(256, (256 * 4 + 127) / 128)"
    ).replace("__fma_rz", "__fma_rn")


UNSAFE = [
    "rounding/other_modes_unsafe.cu",
    "textures/surface_modes_unsafe.cu",
    "launch_bounds/second_argument_unsafe.cu",
]


@pytest.mark.parametrize("name", UNSAFE)
def test_nothing_unsafe_is_done_unasked(name: str) -> None:
    """Without the option, the cases of --unsafe keep what only it changes."""
    case = load_case(CASES / name)
    assert "--unsafe" in case.options
    output = convert(case.path, case.input.encode()).output.decode()
    assert output != case.output
    assert convert(case.path, output.encode()).output.decode() == output


def test_every_rewrite_says_whether_it_is_safe_and_why() -> None:
    edits = load().edits
    assert edits["warp-function"].safety == "safe"
    for name, edit in edits.items():
        assert edit.title and edit.source, name
        assert edit.why.endswith("."), name


def test_no_two_rewrites_make_edits_of_one_name() -> None:
    names = [name for rule in load().rewrites for name in rule.edits]
    assert sorted(names) == sorted(set(names))


def test_an_argument_with_parentheses_is_quoted_whole(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": "__global__ void __launch_bounds__(256, BLOCKS(4)) k() {}\n"})
    done = hipport("audit", "--select", "HP-LAUNCH-001", "a.cu", cwd=tmp_path)
    assert "`__launch_bounds__(…, BLOCKS(4))`: HIP takes" in done.out
