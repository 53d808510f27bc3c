"""What HIP code does with lanes, where a header of the tree has the other half."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport

COMMON = """#pragma once
#include <hip/hip_runtime.h>
#define LANES 32
enum { FIRST = 1, SIZE = LANES };
"""
KERNELS = """#pragma once
#include "common.h"
__device__ int warp_of(int t) { return t / warpSize; }
__global__ void rows(float* out, int n) {
  if (warp_of(threadIdx.x) < n) out[0] = 1;
}
"""
RANK = """#include "HEADER"
__global__ void rank_of(int* x) {
  int lane = threadIdx.x % SIZE;
  unsigned long long set = __ballot(x[threadIdx.x]);
  x[threadIdx.x] = __popcll(set & ((1ull << lane) - 1));
}
"""
HOST = """#include "kernels.h"
void f(float* out, int n) {
  rows<<<(n * SIZE + 127) / 128, 128>>>(out, n);
  rows<<<n, 64>>>(out, n);
}
"""


def audited(tree: Path, files: dict[str, str]) -> list[tuple[str, str, int]]:
    """(file, code, line) of the findings about warps that need a person."""
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = hipport("audit", ".", "--format", "json", cwd=tree)
    return [
        (each["path"], each["code"], each["line"])
        for each in json.loads(done.out)["findings"]
        if each["code"].startswith("HP-WARP") and each["severity"] != "info"
    ]


def test_a_constant_of_a_header_counts_lanes(tmp_path: Path) -> None:
    files = {"common.h": COMMON, "src/rank.hip": RANK.replace("HEADER", "../common.h")}
    assert audited(tmp_path, files) == [("src/rank.hip", "HP-WARP-001", 3)]


def test_a_kernel_of_a_header_goes_by_the_wavefronts_size(tmp_path: Path) -> None:
    files = {"common.h": COMMON, "kernels.h": KERNELS, "main.cpp": HOST}
    assert audited(tmp_path, files) == [("main.cpp", "HP-WARP-026", 3)]
    done = hipport("audit", ".", cwd=tmp_path)
    assert "but the kernel uses `warpSize` in line 3 of kernels.h" in done.out


@pytest.mark.parametrize(
    "header",
    [
        '#ifdef USE_HIP\n#include "common.h"\n#endif\n#define SIZE 32\n',  # CUDA's as well.
        "#define SIZE 32\n",  # CUDA's alone.
        '#include "common.h"\n#define SIZE 64\n',
    ],
)
def test_code_that_is_not_hip_or_has_room_is_left_alone(tmp_path: Path, header: str) -> None:
    rank = RANK.replace("HEADER", "size.h").replace("SIZE", "WIDTH")
    files = {"common.h": COMMON, "size.h": header.replace("SIZE", "WIDTH"), "rank.cu": rank}
    assert audited(tmp_path, files) == []


def test_what_a_file_defines_itself_comes_before_a_header(tmp_path: Path) -> None:
    rank = RANK.replace("HEADER", "common.h").replace("SIZE", "LANES")
    own = rank.replace("__global__", "constexpr int LANES = 64;\n__global__")
    files = {"common.h": COMMON.replace("#define LANES 32", "").replace("LANES", "32")}
    assert audited(tmp_path, {**files, "rank.hip": own}) == []


def test_code_that_reaches_hip_through_a_header_is_not_converted(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/common.h").write_text(COMMON)
    kernel = '#include "common.h"\n__global__ void k(int* x) { x[0] = __shfl_down(x[0], 1); }\n'
    (tmp_path / "src/k.hip").write_text(kernel)
    hipport("convert", "src", "-o", "out", cwd=tmp_path)
    assert (tmp_path / "out/k.hip").read_text().endswith(kernel)
