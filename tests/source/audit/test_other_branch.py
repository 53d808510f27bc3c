"""A call that HIP takes from the other branch of a test of CUDA's version is told once, there."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.model import Severity
from tests.support.auditing import audited

CALLS = """#include <cuda_runtime.h>
void f(void* p, cudaMemLocation where, int device, cudaStream_t s) {
#if CUDART_VERSION >= 13000
  cudaMemPrefetchAsync(p, 8, where, 0, s);
#else
  cudaMemPrefetchAsync(p, 8, device, s);
#endif
}
"""


def lines(folder: Path, text: str) -> list[tuple[int, str]]:
    (folder / "a.cu").write_text(text)
    found = sorted((each.start.line, each.code) for each in audited(folder))
    return [each for each in found if each[1] in ("HP-MEM-003", "HP-GUARD-003")]


def test_the_branch_that_hip_takes(tmp_path: Path) -> None:
    assert lines(tmp_path, CALLS) == [(6, "HP-MEM-003")]


def test_a_call_that_the_other_branch_lacks(tmp_path: Path) -> None:
    text = CALLS.replace("  cudaMemPrefetchAsync(p, 8, device, s);\n", "")
    assert lines(tmp_path, text) == [(3, "HP-GUARD-003"), (4, "HP-MEM-003")]


def test_a_branch_that_hip_may_take(tmp_path: Path) -> None:
    text = CALLS.replace("CUDART_VERSION >= 13000", "OURS_NEWER")
    assert lines(tmp_path, text) == [(4, "HP-MEM-003"), (6, "HP-MEM-003")]


def test_assembly_with_an_instruction_of_its_own(tmp_path: Path) -> None:
    text = """__device__ void f(int* lock, int state) {
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(state) : "l"(lock));
#else
  asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(state) : "l"(lock));
#endif
}
"""
    (tmp_path / "a.cu").write_text(text)
    found = sorted((each.start.line, each.code) for each in audited(tmp_path))
    assert found == [(2, "HP-GUARD-001"), (3, "HP-ASM-012"), (5, "HP-ASM-014")]


COPY = """__device__ void copy(float* to, const float* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "l"(to), "l"(from));
#else
  OTHERWISE
#endif
}
"""


@pytest.mark.parametrize(
    ("otherwise", "expected"),
    [
        ("*to = *from;", [(2, "HP-GUARD-001")]),
        ("assert(to != from);", [(2, "HP-GUARD-001"), (3, "HP-ASM-016")]),
        ("REPORT_ERROR(to, from);", [(2, "HP-GUARD-001"), (3, "HP-ASM-016")]),
        ("", [(2, "HP-GUARD-001"), (3, "HP-ASM-016")]),
    ],
)
def test_assembly_that_the_other_branch_does_without(
    tmp_path: Path, otherwise: str, expected: list[tuple[int, str]]
) -> None:
    (tmp_path / "a.cu").write_text(COPY.replace("OTHERWISE", otherwise))
    found = sorted((each.start.line, each.code) for each in audited(tmp_path))
    assert [each for each in found if not each[1].startswith("HP-MATH")] == expected


def test_hints_in_branches_that_hip_leaves_out(tmp_path: Path) -> None:
    text = """__device__ void ahead(const void* at) {
#if __CUDA_ARCH__ >= 1000
  asm volatile("prefetch.global.L2::evict_last [%0];" : : "l"(at));
#elif __CUDA_ARCH__ >= 800
  asm volatile("prefetch.global.L2 [%0];" : : "l"(at));
#endif
}
"""
    (tmp_path / "a.cu").write_text(text)
    assert not list(audited(tmp_path))


def severities(folder: Path, text: str) -> dict[str, Severity]:
    (folder / "a.cu").write_text(text)
    return {each.code: each.severity for each in audited(folder) if "GUARD" in each.code}


def test_what_both_branches_have_and_no_gpu_of_amd(tmp_path: Path) -> None:
    text = """__device__ void wait(int at, int phase) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;" :: "r"(at), "r"(phase));
#else
  asm volatile("mbarrier.test_wait.parity.shared.b64 p, [%0], %1;" :: "r"(at), "r"(phase));
#endif
}
"""
    assert severities(tmp_path, text) == {"HP-GUARD-009": Severity.INFO}
    without = text.replace("mbarrier.test_wait.parity.shared.b64", "ld.shared.b64")
    assert severities(tmp_path, without) == {"HP-GUARD-001": Severity.MANUAL}


def test_arguments_of_older_versions(tmp_path: Path) -> None:
    assert severities(tmp_path, CALLS) == {"HP-GUARD-009": Severity.INFO}
    text = CALLS.replace("cudaMemPrefetchAsync(p, 8, device, s)", "prefetch(p, 8, device, s)")
    assert severities(tmp_path, text) == {"HP-GUARD-003": Severity.MANUAL}


SHUFFLE = """#if defined(__HIP_PLATFORM_AMD__)
constexpr int lanes = 64;
#else
constexpr int lanes = 32;
#endif
__device__ int from_right(int v, unsigned mask) {
#if CUDA_VERSION >= 9000
  return __shfl_down_sync(mask, v, 1, lanes);
#else
  return __shfl_down(v, 1, lanes);
#endif
}
"""


def shuffles(folder: Path, text: str) -> list[tuple[int, str]]:
    (folder / "a.cu").write_text(text)
    found = sorted((each.start.line, each.code) for each in audited(folder))
    return [each for each in found if each[1] in ("HP-WARP-003", "HP-GUARD-003")]


def test_a_mask_that_the_other_branch_does_without(tmp_path: Path) -> None:
    assert shuffles(tmp_path, SHUFFLE) == [(7, "HP-GUARD-003")]


def test_a_mask_without_another_branch(tmp_path: Path) -> None:
    text = SHUFFLE.replace("  return __shfl_down(v, 1, lanes);", "  return 0;")
    assert shuffles(tmp_path, text) == [(7, "HP-GUARD-003"), (8, "HP-WARP-003")]
