"""What a kernel in a string is given of the helpers."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.source.convert.helper_excerpt import excerpt
from tests.source.test_toolchain import TARGETS, run
from tests.support.precompiled import Precompiled
from tests.support.rule_tables import RULES, warps

HEADER = (RULES / "helpers" / "hipport_warp32.h").read_text("utf-8")


def test_the_functions_and_what_they_use_alone() -> None:
    assert (
        excerpt(HEADER, ["lane_id", "any"])
        == """\
#if defined(__HIPCC_RTC__) || (defined(__clang__) && defined(__HIP__))
#define HIPPORT_DEVICE __device__ inline __attribute__((always_inline))
#ifdef __has_attribute
#if __has_attribute(maybe_undef)
#endif
#endif
#ifndef HIPPORT_MAYBE_UNSET
#endif
namespace warp32 {
HIPPORT_DEVICE unsigned lane_id() { return __lane_id() & 31; }
HIPPORT_DEVICE unsigned ballot(int predicate)
{
    return static_cast<unsigned>(__ballot(predicate) >> (__lane_id() & 32));
}
HIPPORT_DEVICE int any(int predicate) { return ballot(predicate) != 0; }
}
#undef HIPPORT_DEVICE
#elif defined(__CUDACC__) && !defined(__HIP_PLATFORM_AMD__)
namespace warp32 {
#define HIPPORT_PTX(name, register)                                                 \\
    __device__ __forceinline__ unsigned name()                                      \\
    {                                                                               \\
        unsigned value;                                                             \\
        asm volatile("mov.u32 %0, %%" register ";" : "=r"(value));                  \\
        return value;                                                               \\
    }
HIPPORT_PTX(lane_id, "laneid")
#undef HIPPORT_PTX
__device__ __forceinline__ int any(int predicate) { return __any_sync(~0u, predicate); }
}
#endif
"""
    )


@pytest.mark.toolchain
@pytest.mark.slow
def test_each_function_compiles_alone(tmp_path: Path, precompiled: Precompiled) -> None:
    options = ["-std=c++17", "-fsyntax-only", *precompiled.everywhere]
    source = tmp_path / "a.hip"
    for name in sorted({each.partition("::")[2] for each in warps()["helpers"].values()}):
        used = f"namespace {name}_alone {{\n{excerpt(HEADER, [name])}}}\n"
        source.write_text(f"#include <hip/hip_runtime.h>\n{used}")
        process = run("hipcc", *options, f"--offload-arch={TARGETS[0]}", str(source))
        assert process.returncode == 0, f"{name}: {process.stderr}"
