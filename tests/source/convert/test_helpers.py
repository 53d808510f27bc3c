"""The header of helpers for warps: where it is written, and which trees have warps of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree, read_tree
from tests.support.rule_tables import RULES

HELPERS = (RULES / "helpers" / "hipport_warp32.h").read_text("utf-8")
KERNEL = """#include <cuda_runtime.h>
__global__ void k(int *x) { x[0] = __shfl_sync(~0u, x[0], 0); }
"""
CONVERTED = """#include <hip/hip_runtime.h>
#include "{}hipport_warp32.h"
__global__ void k(int *x) {{ x[0] = warp32::shfl_sync(~0u, x[0], 0); }}
"""


def test_one_header_at_the_top_of_a_tree(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": KERNEL, "src/deep/er/b.cu": KERNEL, "src/c.cpp": "int x;\n"})
    for _ in range(2):  # A second run finds it, and keeps it.
        done = hipport("convert", "src", cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        found = read_tree(tmp_path / "src_hip")
        assert found == {
            "a.cu": CONVERTED.format(""),
            "c.cpp": "int x;\n",
            "deep/er/b.cu": CONVERTED.format("../../"),
            "hipport_warp32.h": HELPERS,
        }


def test_no_header_where_no_file_needs_it(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": "#include <cuda_runtime.h>\n"})
    assert hipport("convert", "src", cwd=tmp_path).code == 0
    assert [*read_tree(tmp_path / "src_hip")] == ["a.cu"]


def test_edits_of_the_header_by_hand_are_kept(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": KERNEL})
    hipport("convert", "src", cwd=tmp_path)
    header = tmp_path / "src_hip" / "hipport_warp32.h"
    header.write_text(f"// mine\n{HELPERS}")
    assert hipport("convert", "src", cwd=tmp_path).code == 0
    assert header.read_text() == f"// mine\n{HELPERS}"


def test_in_place_and_one_file(tmp_path: Path) -> None:
    make_tree(tmp_path, {"tree/sub/a.cu": KERNEL, "one/b.cu": KERNEL})
    assert hipport("convert", "--in-place", "tree", cwd=tmp_path).code == 0
    assert hipport("convert", "one/b.cu", "-o", "out", cwd=tmp_path).code == 0
    assert read_tree(tmp_path / "tree") == {
        "hipport_warp32.h": HELPERS,
        "sub/a.cu": CONVERTED.format("../"),
    }
    assert read_tree(tmp_path / "out") == {
        "b.cu": CONVERTED.format(""),
        "hipport_warp32.h": HELPERS,
    }


def test_a_diff_makes_the_header(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/sub/a.cu": KERNEL})
    diff = hipport("convert", "--diff", "src", cwd=tmp_path).out
    for program in (["patch", "-p1"], ["git", "apply", "-"]):
        made = tmp_path / program[0]
        make_tree(made, {"src/sub/a.cu": KERNEL})
        subprocess.run(program, input=diff, cwd=made, text=True, check=True, capture_output=True)
        assert read_tree(made) == {
            "src/hipport_warp32.h": HELPERS,
            "src/sub/a.cu": CONVERTED.format("../"),
        }


@pytest.mark.parametrize("name", ["a.cu", "-"])
def test_inline(name: str, tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": KERNEL})
    expected = CONVERTED.format("").replace('#include "hipport_warp32.h"\n', HELPERS)
    if name == "-":
        done = hipport("convert", "-", cwd=tmp_path, stdin=KERNEL.encode())
        assert done.out == expected
        return
    hipport("convert", "--inline-helpers", name, "-o", "out", cwd=tmp_path)
    assert read_tree(tmp_path / "out") == {"a.cu": expected}


PORTED = """#pragma once
#ifdef __HIP_PLATFORM_AMD__
#define WARP_LANES 64
#define __shfl_xor_sync(mask, v, lanes) __shfl_xor(v, lanes)
#else
#define WARP_LANES 32
#endif
"""


def test_a_tree_that_ported_its_warps_keeps_them(tmp_path: Path) -> None:
    """What the tree's header defines for AMD holds in the files that include it, through others."""
    user = '#include "warps.h"\n__device__ int f(int v) { return __shfl_xor_sync(~0u, v, 1); }\n'
    caller = (
        '#include "user.cuh"\n'
        "__global__ void k(int *x) { x[threadIdx.x / warpSize] = f(x[0]); }\n"
        "int lanes(cudaDeviceProp p) { return p.warpSize; }\n"
    )
    tree = {"inc/warps.h": PORTED, "user.cuh": user, "k.cu": caller, "plain.cu": KERNEL}
    make_tree(tmp_path / "src", tree)
    done = hipport("convert", "src", "--report", "r.json", cwd=tmp_path)
    found = read_tree(tmp_path / "src_hip")
    assert "__shfl_xor_sync(~0u, v, 1)" in found["user.cuh"]
    assert "threadIdx.x / warpSize" in found["k.cu"]
    assert "return p.warpSize;" in found["k.cu"]
    assert found["plain.cu"] == CONVERTED.format("")
    assert "HP-WARP-003" not in (tmp_path / "r.json").read_text()
    assert done.code == 0


def test_a_definition_of_its_own_hides_the_trees(tmp_path: Path) -> None:
    own = KERNEL.replace(
        "__global__", '#include "warps.h"\nconstexpr int WARP_LANES = 32;\n__global__'
    ).replace("x[0], 0)", "x[0], WARP_LANES - 1)")
    ported = "#ifdef USE_ROCM\nconstexpr int WARP_LANES = 64;\n#endif\n"
    make_tree(tmp_path / "src", {"warps.h": ported, "own.cu": own})
    hipport("convert", "src", cwd=tmp_path)
    assert "warp32::shfl_sync(" in read_tree(tmp_path / "src_hip")["own.cu"]
