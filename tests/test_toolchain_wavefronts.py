"""What was widened to 64 bits compiles, for wavefronts of 64 and of 32 lanes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import CASES, load
from tests.converting import convert
from tests.cuda_programs import FOLDER
from tests.test_toolchain import TARGETS, run

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

FUNCTIONS = Path(__file__).parents[1] / "fixtures" / "transforms" / "sync_functions.h"
WIDENED = [
    "const_behind_the_type.cu",
    "highest_lane.cu",
    "full_mask_literal.cu",
    "inside_a_macro.cu",
    "lane_set_variables.cu",
    "mask_constants.cu",
    "mask_macro.cu",
    "mask_parameter_unsafe.cu",
    "mask_variable.cu",
    "other_spellings_of_all_lanes.cu",
    "reduce_builtins.cu",
]


def compiled(source: bytes, work: Path) -> str:
    """What hipcc says about a source, with the *_sync functions of ROCm 7 before it."""
    file = work / "a.cu.hip"
    file.write_bytes(source)
    targets = [f"--offload-arch={name}" for name in TARGETS]
    options = ["-std=c++17", "-Werror=format", "-include", str(FUNCTIONS), *targets]
    process = run("hipcc", "-c", *options, str(file), "-o", str(work / "a.o"))
    return process.stderr if process.returncode else ""


@pytest.mark.parametrize("name", WIDENED)
def test_golden_case(name: str, tmp_path: Path) -> None:
    case = load(CASES / "warp" / name)
    assert case.changes
    assert compiled(case.output.encode(), tmp_path) == ""


def test_program(tmp_path: Path) -> None:
    source = (FOLDER / "warp_intrinsics" / "warp_intrinsics.cu").read_bytes()
    by_hand = source.replace(b"<cuda_", b"<hip/hip_").replace(b"cuda", b"hip")
    assert "has 64 bits" in compiled(by_hand, tmp_path)
    assert compiled(convert("a.cu", source).output, tmp_path) == ""
