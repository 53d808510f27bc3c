"""What calls the helpers for warps compiles, for wavefronts of 64 and of 32 lanes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source.test_toolchain import TARGETS, run
from tests.support.converting import convert
from tests.support.cuda_programs import FOLDER
from tests.support.precompiled import Precompiled
from tests.support.rule_tables import RULES, warps
from tests.support.source_cases import CASES, load

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

HELPERS = RULES / "helpers"
CASE_NAMES = [
    "full_mask_literal.cu",
    "inside_a_macro.cu",
    "lane_set_variables.cu",
    "mask_macro.cu",
    "mask_variable.cu",
    "other_spellings_of_all_lanes.cu",
    "pasted_names.cu",
    "reduce_builtins.cu",
    "registers_of_ptx.cu",
    "several_builtins.cu",
]
# Every helper, with the types of values that CUDA's functions take.
EVERY = """#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include "hipport_warp32.h"
struct Pair { float a; unsigned char b; };
template <typename T> __device__ T shuffled(T v, unsigned m, int w)
{
    v = warp32::shfl_sync(m, v, 3, w);
    v = warp32::shfl_up_sync(m, v, 1u, w);
    v = warp32::shfl_down_sync(m, v, 1u);
    v = warp32::shfl_xor_sync(m, v, 5);
    return warp32::shfl_xor(warp32::shfl_down(warp32::shfl_up(warp32::shfl(v, 1), 1), 2), 4);
}
__global__ void k(int *i, unsigned *u, long long *l, float *f, double *d, __half2 *h, Pair *p)
{
    const unsigned m = u[0], w = u[1];
    i[0] = shuffled(i[0], m, w);
    u[2] = shuffled(u[2], m, w);
    l[0] = shuffled(l[0], m, w);
    f[0] = shuffled(f[0], m, w);
    d[0] = shuffled(d[0], m, w);
    h[0] = shuffled(h[0], m, w);
    h[0].x = shuffled(h[0].x, m, w);
    p[0] = shuffled(p[0], m, w);
    p[0].b = shuffled(p[0].b, m, w);
    // An object without a size in HIP before 6.4: what is read is another lane's number.
    static_assert(sizeof(warp32::shfl_sync(m, threadIdx.y, 0)) == 4, "a number");
    // CUDA has no function for numbers of one and two bytes: they are promoted.
    static_assert(sizeof(warp32::shfl_sync(m, p[0].b, 0)) == 4, "an int");
    static_assert(sizeof(warp32::shfl_xor(w > m, 1)) == 4, "an int");
    static_assert(sizeof(warp32::shfl_up(static_cast<short>(w), 1)) == 4, "an int");
    static_assert(sizeof(warp32::shfl_down(__low2half(h[0]), 1)) == 2, "as it is");
    i[3] = warp32::shfl_sync(m, threadIdx.y, 0) + warp32::shfl_down(blockIdx.x, 1);
    u[3] = warp32::ballot_sync(m, w) + warp32::any_sync(m, w) + warp32::all_sync(m, w)
        + warp32::uni_sync(m, w) + warp32::ballot(w) + warp32::any(w) + warp32::all(w)
        + warp32::activemask() + warp32::match_any_sync(m, d[1]) + warp32::match_any_sync(m, i[1])
        + warp32::match_all_sync(m, l[1], i) + warp32::lane_id() + warp32::lanemask_eq()
        + warp32::lanemask_lt() + warp32::lanemask_le() + warp32::lanemask_gt()
        + warp32::lanemask_ge();
    warp32::syncwarp();
    warp32::syncwarp(m);
    u[4] = warp32::reduce_add_sync(m, u[4]) + warp32::reduce_and_sync(m, u[4])
        + warp32::reduce_or_sync(m, u[4]) + warp32::reduce_xor_sync(m, u[4]);
    i[2] = warp32::reduce_min_sync(m, i[2]) + warp32::reduce_max_sync(m, i[2]);
}
int main()
{
    int n = 0;
    return warp32::device_get_attribute(&n, hipDeviceAttributeWarpSize, 0) == hipSuccess ? n : 1;
}
"""
HOST = """#include "hipport_warp32.h"
template <typename T> T last(T v) 
{
    return warp32::shfl_down_sync(~0u, v, 1) + warp32::activemask();
}
int main() {}
"""


def compiled(source: bytes, work: Path, headers: Precompiled) -> str:
    """What hipcc says about a source."""
    file = work / "a.cu.hip"
    file.write_bytes(source)
    targets = [f"--offload-arch={name}" for name in TARGETS]
    options = ["-std=c++17", *headers.on_the_device, "-Werror=format", f"-I{HELPERS}", *targets]
    process = run("hipcc", "-c", *options, str(file), "-o", str(work / "a.o"))
    return process.stderr if process.returncode else ""


def test_every_helper_for_every_type(tmp_path: Path, precompiled: Precompiled) -> None:
    called = set(warps()["helpers"].values()) | {warps()["device"]["helper"]}
    assert [name for name in sorted(called) if name not in EVERY] == []
    assert compiled(EVERY.encode(), tmp_path, precompiled) == ""


@pytest.mark.parametrize("platform", [[], ["-D__HIP_PLATFORM_AMD__"]])
def test_a_host_compiler_reads_the_header(platform: list[str], tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text(HOST)
    process = run("g++", *platform, f"-I{HELPERS}", "-fsyntax-only", str(source))
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize("name", CASE_NAMES)
def test_golden_case(name: str, tmp_path: Path, precompiled: Precompiled) -> None:
    case = load(CASES / "warp" / name)
    assert case.changes
    assert compiled(case.output.encode(), tmp_path, precompiled) == ""


def test_program(tmp_path: Path, precompiled: Precompiled) -> None:
    source = (FOLDER / "warp_intrinsics" / "warp_intrinsics.cu").read_bytes()
    by_hand = source.replace(b"<cuda_", b"<hip/hip_").replace(b"cuda", b"hip")
    assert "undeclared identifier '__shfl_down_sync'" in compiled(by_hand, tmp_path, precompiled)
    assert compiled(convert("a.cu", source).output, tmp_path, precompiled) == ""
