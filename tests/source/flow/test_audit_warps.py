"""Judgement of what follows lanes, warps and masks through a file: hipport/source/flow."""

from __future__ import annotations

import pytest

from hipport.model import Finding
from hipport.rulebook.load import load
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.flow.values import LANE, SET, THREAD, WARP, WAVE, WAVE_LANE, values
from hipport.source.names.counterparts import Decisions
from hipport.source.text.source_text import Code

RULES = load(is_audit=True)
HIP = "#include <hip/hip_runtime.h>\n"


def found_in(code: str, *codes: str, converts: bool = False) -> list[Finding]:
    """The findings of these codes in a text."""
    rules = load() if converts else RULES
    decisions = Decisions(rules, default_options(rules))
    result = convert_source(code.encode(), "k.cu", "cuda", decisions)
    return [each for each in result.findings if each.code in codes]


def places(code: str, *codes: str) -> list[tuple[str, int, str]]:
    return [(each.code, each.start.line, each.severity.word) for each in found_in(code, *codes)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("threadIdx.x", {THREAD}),
        ("blockIdx.x * blockDim.x + threadIdx.x", {THREAD}),
        ("threadIdx.x & 31", {LANE}),
        ("t % W", {LANE}),
        ("t & (W - 1)", {LANE}),
        ("31 & t", {LANE}),
        ("t - W * (t / W)", {LANE}),
        ("t - (t >> 5 << 5)", {LANE}),
        ("int(threadIdx.x) % w", {LANE}),
        ("LANE_ID + 1", {LANE}),
        ("t / 32", {WARP}),
        ("(blockIdx.x * 128 + t) >> 5", {WARP}),
        ("t & 32", {WARP}),
        ("t / warpSize", {WAVE}),
        ("t >> 6", {WAVE}),
        ("t & (warpSize - 1)", {WAVE_LANE}),
        ("__lane_id()", {WAVE_LANE}),
        ("~__ballot(n)", {SET}),
        ("table[t & 31]", set()),
        ("f(t & 31)", set()),
        ("n % 32", set()),
    ],
)
def test_what_a_value_depends_on(expression: str, expected: set[str]) -> None:
    code = (
        "enum { W = 32 };\nconst int other = 5, w = 32;\n#define LANE_ID (threadIdx.x % w)\n"
        "__global__ void k(int n) {\n  int t = threadIdx.x, last;\n"
        f"  last = {expression};\n}}\n"
    )
    (function,) = values(Code(code.encode()), RULES)
    assert set(function.of("last", len(code))) == expected


def test_arguments_are_followed_to_functions_and_lambdas() -> None:
    code = (
        "__device__ int f(int n, int place) { int own = place; return own; }\n"
        "__global__ void k(int n) {\n  int t = threadIdx.x & 31;\n"
        "  auto g = [&](int a, int b) { int inner = b; return inner; };\n"
        "  f(n, t); g(n, t);\n}\n"
    )
    f, k = values(Code(code.encode()), RULES)
    assert f.of("own", len(code)) == {LANE}
    assert f.of("n", len(code)) == set()
    assert k.of("inner", len(code)) == {LANE}
    assert k.of("a", len(code)) == set()


def test_widened_code_that_stays_on_32_lanes_has_a_finding_whatever_the_names() -> None:
    code = (
        HIP + "__global__ void k(const int *x, int *y)\n{\n"
        "    int q = threadIdx.x, z = q & 31;\n"
        "    unsigned long long m = __ballot(x[q] & 1);\n"
        "    y[q] = __popcll(m & ((1ull << z) - 1));\n}\n"
    )
    (finding,) = found_in(code, "HP-WARP-001", "HP-WARP-004", "HP-WARP-005", "HP-WARP-006")
    assert (finding.code, finding.start.line) == ("HP-WARP-001", 4)
    assert "`1ull << z` in line 6" in finding.message


def test_code_that_was_renamed_only_has_a_finding_for_each_part() -> None:
    code = (
        HIP + "__global__ void k(const int *x, int *y)\n{\n"
        "    int q = threadIdx.x, z = q & 31;\n"
        "    unsigned m = __ballot_sync(0xffffffff, x[q] & 1);\n"
        "    y[q] = __popc(m & ((1u << z) - 1));\n}\n"
    )
    codes = ("HP-WARP-001", "HP-WARP-003", "HP-WARP-004", "HP-WARP-005", "HP-WARP-006")
    assert sorted(code for code, _, _ in places(code, *codes)) == list(codes)


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        ("if (t < 32) {", ["HP-WARP-023"]),
        ("if (t < 64) {", ["HP-WARP-024"]),
        ("if (t < warpSize) {", ["HP-WARP-024"]),
        ("if (t / 32 == 1) {", ["HP-WARP-023"]),
        ("if (t / warpSize == 1) {", ["HP-WARP-024"]),
        ("if (t % 64 == 0) {", ["HP-WARP-022"]),
        ("if (n > 1) {} else if (t < n) {", ["HP-WARP-022"]),
        ("if (t >= n) return; {", ["HP-WARP-022"]),
        ("if (n < 1) return; {", ["HP-WARP-024"]),
        ("for (int i = t; i < n; i += 64) { if (i & 1) continue;", ["HP-WARP-022"]),
        ("bool low = t < 7; if (low && n) {", ["HP-WARP-022"]),
        ("if (t < BLOCK) {", ["HP-WARP-024"]),
    ],
)
def test_where_lanes_are_missing(around: str, expected: list[str]) -> None:
    code = (
        HIP + "__global__ void k(int* x, int n) {\n  int t = threadIdx.x;\n"
        f"  {around}\n    x[t] = __shfl_sync(~0ull, x[t], 0);\n  }}\n}}\n"
    )
    found = places(code, "HP-WARP-022", "HP-WARP-023", "HP-WARP-024")
    assert [code for code, _, _ in found] == expected


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("k<<<n, 32>>>(x);", [("HP-WARP-023", "blocker")]),
        ("dim3 block(8, 4); k<<<n, block>>>(x);", [("HP-WARP-023", "blocker")]),
        ("hipLaunchKernelGGL((k), dim3(n), dim3(100), 0, 0, x);", [("HP-WARP-022", "blocker")]),
        ("k<<<n, 128>>>(x);", [("HP-WARP-024", "review")]),
        ("k<<<n, m>>>(x);", [("HP-WARP-024", "review")]),
        ("other<<<n, 32>>>(x);", [("HP-WARP-024", "review")]),
    ],
)
def test_a_block_that_ends_inside_a_wavefront(launch: str, expected: list[tuple[str, str]]) -> None:
    code = (
        HIP + "__device__ int sum(int v) { return __shfl_xor_sync(~0ull, v, 1); }\n"
        "__global__ void k(int* x) { x[0] = sum(x[0]); }\n"
        f"void f(int* x, int n, int m) {{ {launch} }}\n"
    )
    found = places(code, "HP-WARP-022", "HP-WARP-023", "HP-WARP-024")
    assert [(code, severity) for code, _, severity in found] == expected


def test_masks_in_cuda_code_are_no_matter_of_the_audit() -> None:
    code = "__global__ void k(int* x) {\n  if (threadIdx.x < 9) __shfl_sync(~0ull, *x, 0);\n}\n"
    assert found_in(code, "HP-WARP-022", "HP-WARP-023", "HP-WARP-024", "HP-WARP-025") == []


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("while (atomicCAS(lock, 0, 1) != 0);", ["HP-WARP-010"]),
        ("if (t % 32 == 0) while (atomicCAS(lock, 0, 1) != 0);", ["HP-WARP-020"]),
        ("if (t == 0) while (atomicCAS(lock, 0, 1) != 0);", []),
        ("if (t % warpSize == 0) while (atomicCAS(lock, 0, 1) != 0);", ["HP-WARP-020"]),
        ("const int w = warpSize; if (t % w == 0) while (atomicExch(lock, 1));", ["HP-WARP-020"]),
        ("if (t != 0) return; while (atomicCAS(lock, 0, 1) != 0);", []),
        ("while (flag[0] == 0);", ["HP-WARP-020"]),
        ("while (go == t / 32);", ["HP-WARP-020"]),
        ("{ int go = 0; } while (go == t / 32);", ["HP-WARP-020"]),
        ("int go = 0; while (go == t / 32);", []),
        ("int* volatile here = lock + t / 32; while (here == 0);", ["HP-WARP-020"]),
        ("while (ld_acquire(&flag[0]) == 0);", ["HP-WARP-020"]),
        ("while (flag[0].load() == 0);", ["HP-WARP-020"]),
        ("while (ld_acquire(lock) != flag[1]);", []),  # What it waits for, not where.
        ("while (lock[blockIdx.x - 1] == 0);", []),
        ("while (lock[t / 32] == 0) __threadfence();", ["HP-WARP-020"]),
        ("for (;;) { int v = atomicAdd(&lock[t / 32 - 1], 0); if (v) break; }", ["HP-WARP-020"]),
        ("int i = 0; while (lock[i] != 0) i = lock[i];", []),
        ("for (int i = t; i < flag[0]; i += 32) lock[i] = 0;", []),
        ("while (atomicCAS(&lock[t], t, t + 1) != t) t = lock[t];", []),
    ],
)
def test_who_waits_for_whom(loop: str, expected: list[str]) -> None:
    code = (
        "__device__ volatile int go;\n"
        "__global__ void k(int* lock) {\n  __shared__ volatile int flag[4];\n"
        f"  int t = threadIdx.x;\n  {loop}\n}}\n"
    )
    assert [each.code for each in found_in(code, "HP-WARP-010", "HP-WARP-020")] == expected
    converted = found_in(code, "HP-WARP-010", "HP-WARP-020", converts=True)
    assert [each.code for each in converted] == expected


def test_one_lane_of_a_wavefront_waits_for_no_other_of_it() -> None:
    code = (
        f"{HIP}__global__ void k(int* lock) {{\n"
        "  if (threadIdx.x % warpSize == 0) while (atomicCAS(lock, 0, 1) != 0);\n}\n"
    )
    assert found_in(code, "HP-WARP-010", "HP-WARP-020") == []
    assert len(found_in(code.removeprefix(HIP), "HP-WARP-010", "HP-WARP-020")) == 1


def test_a_conversion_reports_what_the_32_lane_form_cannot_keep() -> None:
    code = (
        "#include <cooperative_groups.h>\n__global__ void k(int* x) {\n"
        "  auto active = cooperative_groups::coalesced_threads();\n"
        "  if (threadIdx.x & 1) x[0] = __shfl_sync(0xffffffff, 1, 0);\n"
        "  else x[0] = __shfl_sync(0xffffffff, 2, 1);\n}\n"
    )
    found = found_in(code, "HP-CG-012", "HP-WARP-021", converts=True)
    assert [(each.code, each.start.line) for each in found] == [
        ("HP-CG-012", 3),
        ("HP-WARP-021", 5),
    ]


def test_the_wavefronts_size_beside_a_warp_of_32_names_both_places() -> None:
    code = (
        HIP + "__global__ void rows(int* out) {\n  out[threadIdx.x / warpSize] = 1;\n}\n"
        "void f(int* out, int n) {\n  int grid = (n * 32 + 127) / 128;\n"
        "  rows<<<grid, 128>>>(out);\n}\n"
    )
    (finding,) = found_in(code, "HP-WARP-026")
    assert (finding.start.line, finding.symbol) == (6, "(n * 32 + 127) / 128")
    assert "in line 3" in finding.message
