"""Judgement of the checks of device code: what they report, what they say, and what they leave."""

from __future__ import annotations

import pytest

from hipport.model import Finding, Severity
from hipport.rulebook.load import load
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.convert.verdicts import specific
from hipport.source.names.counterparts import Decisions

RULES = load(is_audit=True)


def audited(code: str, rule: str, name: str = "k.cu", language: str = "cuda") -> list[Finding]:
    """The findings of one rule in a text."""
    decisions = Decisions(RULES, default_options(RULES))
    result = convert_source(code.encode(), name, language, decisions)
    return [each for each in result.findings if each.code == rule]


def lines(found: list[Finding]) -> list[int]:
    return [each.start.line for each in found]


def test_a_32_needs_a_reason_and_the_message_gives_it() -> None:
    code = (
        "__global__ void k(float* a) {\n"
        "  const int tid = threadIdx.x;\n"
        "  int lane = tid & 31;\n"
        "  int column = tid % 32;\n"
        "  int words = a[0] / 32;\n"
        "}\n"
    )
    found = audited(code, "HP-WARP-001")
    assert [(each.start.line, each.symbol) for each in found] == [(3, "tid & 31")]
    assert "used as the index of a lane or a warp" in found[0].message


def test_code_behind_a_lambda_of_a_kernel_is_device_code() -> None:
    code = (
        "#include <torch/extension.h>\n__global__ void k(float* a) {\n"
        "  auto f = [=] __device__ (int i) { return i; };\n"
        "  a[0] = std::max(a[1], 0.0f);\n"
        "}\n"
        "float host(float a) { return std::max(a, 0.0f); }\n"
    )
    assert lines(audited(code, "HP-MATH-004")) == [4]


def test_an_instruction_of_ptx_with_a_word_of_amds_is_ptx() -> None:
    code = (
        "void f(void* p, long n) {\n"
        '  asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;"\n'
        '               :: "r"(p), "l"(n));\n'
        "}\n"
    )
    assert lines(audited(code, "HP-ASM-002", "a.hpp", "cpp")) == [3]


def test_lane_arithmetic_beside_warp_operations_is_to_review() -> None:
    code = (
        "#include <hip/hip_runtime.h>\n__global__ void k(float* a) {\n"
        "  if (threadIdx.x % 32 == 0)\n"
        "    a[0] = __shfl_sync(~0ull, a[0], 0);\n"
        "}\n"
        "__global__ void other(float* a) {\n"
        "  if (threadIdx.x % 32 == 0) a[0] = 1;\n"
        "}\n"
    )
    found = audited(code, "HP-WARP-001")
    assert [(each.start.line, each.severity) for each in found] == [(3, Severity.REVIEW)]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("#ifdef USE_ROCM", []),
        ("#if !defined(__HIP_PLATFORM_AMD__)", []),
        ("#if defined(__CUDACC__) || defined(__HIPCC__)", [3]),
        ("#if CUDA_VERSION >= 12000", [3]),
    ],
)
def test_what_stands_in_a_port_is_left_out(test: str, expected: list[int]) -> None:
    code = (
        f"{test}\n__device__ void f(unsigned* a) {{\n  a[0] = __popc(__activemask());\n}}\n#endif\n"
    )
    assert lines(audited(code, "HP-WARP-005")) == expected


def test_the_branch_for_nvidia_beside_one_for_amd_is_left_out() -> None:
    code = (
        "#if defined(__HIP_PLATFORM_AMD__)\n#define LANES 64\n"
        "#else\n__device__ void f() { __trap(); }\n#endif\n"
        "__device__ void g() { __trap(); }\n"
    )
    assert lines(audited(code, "HP-MATH-005")) == [6]


def test_a_ballot_in_a_variable_is_followed_to_its_use() -> None:
    code = (
        "__device__ int f(unsigned bits, int p) {\n"
        "  auto active = __ballot_sync(~0ull, p);\n"
        "  return __popc(bits) + __ffs(active & bits);\n"
        "}\n"
    )
    found = audited(code, "HP-WARP-005")
    assert [(each.start.line, each.symbol) for each in found] == [(3, "__ffs")]


@pytest.mark.parametrize(
    ("size", "severity"),
    [
        ("64 * 1024", None),
        ("0x10000", None),
        ("65537", Severity.BLOCKER),
        ("(96 * 1024)", Severity.BLOCKER),
        ("sizeof(Storage)", Severity.REVIEW),
    ],
)
def test_shared_memory_is_judged_by_its_size(size: str, severity: Severity | None) -> None:
    attribute = "cudaFuncAttributeMaxDynamicSharedMemorySize"
    found = audited(f"void f() {{ cudaFuncSetAttribute(k, {attribute}, {size}); }}\n", "HP-MEM-012")
    assert [each.severity for each in found] == ([] if severity is None else [severity])


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ("256", []),
        ("1024, 1", []),
        ("256, 2", ["HP-LAUNCH-001"]),
        ("256, 2, 8", ["HP-LAUNCH-002"]),
        ("threads<A, B>()", ["HP-LAUNCH-003"]),
        ("(a < b ? a : b) * 4, 2", ["HP-LAUNCH-001"]),
        ("max(a, b)", []),
    ],
)
def test_launch_bounds_are_read_as_the_preprocessor_reads_them(
    bounds: str, expected: list[str]
) -> None:
    code = f"__global__ void __launch_bounds__({bounds}) k() {{}}\n"
    codes = [f"HP-LAUNCH-00{number}" for number in (1, 2, 3)]
    assert [each for each in codes if audited(code, each)] == expected


def test_each_instruction_has_its_own_finding_at_its_place() -> None:
    code = (
        "__device__ void f(unsigned a) {\n"
        '  asm volatile("{\\n"\n'
        '               "  cp.async.cg.shared.global [%0], [%1], 16;\\n"\n'
        '               "  cp.async.commit_group;\\n}" :: "r"(a), "l"(0ull));\n'
        "}\n"
    )
    found = audited(code, "HP-ASM-016")
    assert [(each.start.line, each.symbol) for each in found] == [
        (3, "cp.async.cg.shared.global"),
        (4, "cp.async.commit_group"),
    ]
    assert [each.symbol for each in audited(code, "HP-ASM-002")] == ["l"]
    assert audited(code, "HP-ASM-017") == []


def test_assembly_of_the_host_is_no_ptx() -> None:
    code = 'void f(long a) { __asm__ volatile("xchg %0, %1" : "+d"(a) : "l"(a)); }\n'
    assert audited(code, "HP-ASM-002", "f.c", "c") == []


@pytest.mark.parametrize(("barrier", "expected"), [("", [2]), ("__syncwarp(); ", [])])
def test_a_reduction_without_barriers(barrier: str, expected: list[int]) -> None:
    steps = "".join(f"  s[t] += s[t + {d}]; {barrier}\n" for d in (16, 8, 4, 2, 1))
    code = f"__device__ void f(volatile float* s, int t) {{\n{steps}}}\n"
    assert lines(audited(code, "HP-WARP-012")) == expected


def test_a_library_is_reported_once_a_file_and_not_in_its_own_files() -> None:
    code = "#include <cutlass/gemm.h>\n#include <cutlass/conv.h>\nusing T = cutlass::half_t;\n"
    assert lines(audited(code, "HP-MMA-002")) == [1]
    assert audited(code, "HP-MMA-002", "include/cutlass/all.h", "cpp") == []
    names = "using T = cutlass::half_t;\nusing U = cutlass::half_t;\n"
    assert lines(audited(names, "HP-MMA-002")) == [1]


def test_a_quoted_include_of_a_library_counts() -> None:
    found = audited('#include "NvInfer.h"\n', "HP-LIB-015", "a.cpp", "cpp")
    assert [(each.start.line, each.symbol) for each in found] == [(1, "NvInfer.h")]


def test_a_kernel_in_a_string_is_found_and_one_in_code_is_not() -> None:
    code = 'const char* s = R"(\n__global__ void k() {}\n)";\n__global__ void real() {}\n'
    found = audited(code, "HP-RTC-004")
    assert [(each.start.line, each.symbol) for each in found] == [(2, "__global__ void k")]


def test_nothing_is_found_in_a_port_free_of_cuda() -> None:
    code = '#include <cstdio>\nint main() {\n  if (32 / 2 == 16) std::printf("lane");\n}\n'
    decisions = Decisions(RULES, default_options(RULES))
    assert convert_source(code.encode(), "a.cpp", "cpp", decisions).findings == []


def test_a_message_that_is_sent_and_received_through_the_host_is_one_finding() -> None:
    copies = (
        "void f(double *a, double *b, double *d, int n) {\n"
        "  cudaMemcpy(a, d, n, cudaMemcpyDeviceToHost);\n"
        "  MPI_Sendrecv(a, n, MPI_DOUBLE, 1, 0, b, n, MPI_DOUBLE, 1, 0, comm, status);\n"
        "  cudaMemcpy(d, b, n, cudaMemcpyHostToDevice);\n}\n"
    )
    assert lines(audited(copies, "HP-MPI-012")) == [3]
    assert audited(f"#ifndef CUDA_AWARE_MPI\n{copies}#endif\n", "HP-MPI-012") == []


def test_a_warp_size_where_a_constant_is_needed_is_one_finding_in_a_header_without_hips() -> None:
    code = "template <typename T>\n__device__ T sum(T own) {\n  __shared__ T sums[warpSize];\n}\n"
    decisions = Decisions(RULES, default_options(RULES))
    result = convert_source(code.encode(), "sum.hpp", "cpp", decisions)
    found = specific(result.findings, RULES, result.wholes)
    assert [(each.code, each.start.line) for each in found] == [("HP-WARP-002", 3)]


def test_warps_of_a_kernel_for_tensor_cores_are_no_matter_of_conversion_alone() -> None:
    code = (
        "__global__ void k(float* a) {\n"
        "  int lane = threadIdx.x % 32;\n"
        "  a[0] = __shfl_sync(~0u, a[lane], 0);\n"
        "}\n"
        "__global__ void tiles(float* a, unsigned* b) {\n"
        "  int lane = threadIdx.x % 32;\n"
        '  asm volatile("mma.sync.aligned.m16n8k8 {%0}, {%1};" : "=f"(a[lane]) : "r"(b[lane]));\n'
        "}\n"
    )
    found = audited(code, "HP-WARP-001")
    assert [(each.start.line, each.severity, each.fixed_by) for each in found] == [
        (2, Severity.INFO, "convert"),
        (6, Severity.MANUAL, ""),
    ]


def test_warps_that_wait_for_each_other_are_no_matter_of_conversion_alone() -> None:
    size = "constexpr int WARP_SIZE = 32;\n"
    kernel = (
        "__global__ void k(float* a) {\n"
        "  int warp = threadIdx.x / WARP_SIZE;\n"
        "  a[0] = __shfl_sync(~0u, a[warp], 0);\n"
        "}\n"
    )
    wait = (
        "__device__ void wait(int at) {\n"
        '  asm volatile("mbarrier.try_wait.parity.shared.b64 p, [%0], 0;" :: "r"(at));\n'
        "}\n"
    )
    found = audited(f"{size}{kernel}", "HP-WARP-001")
    assert found[0].fixed_by == "convert"
    found = audited(f"{size}{wait}{kernel}", "HP-WARP-001")
    assert (found[0].start.line, found[0].fixed_by) == (1, "")


def test_a_constant_that_a_kernel_for_tensor_cores_counts_by_is_one_of_its_own() -> None:
    constant = "#define WARP_SIZE 32\n"
    sums = (
        "__global__ void sums(float* a) {\n"
        "  a[threadIdx.x / WARP_SIZE] = __shfl_sync(~0u, a[threadIdx.x], 0);\n"
        "}\n"
    )
    tiles = (
        "__global__ void tiles(float* a) {\n"
        "  int warp = threadIdx.y * %s;\n"
        "  fragment<accumulator, 16, 16, 16, float> sum;\n"
        "  mma_sync(sum, load(a), load(a + warp), sum);\n"
        "}\n"
    )
    for uses, fixed_by in (("WARP_SIZE", ""), ("2", "convert")):
        found = audited(f"{constant}{sums}{tiles % uses}", "HP-WARP-001")
        assert (found[0].start.line, found[0].fixed_by) == (1, fixed_by)


def test_a_mask_of_a_kernel_for_tensor_cores_is_kept_at_first() -> None:
    code = (
        "__global__ void tiles(float* a, unsigned* b) {\n"
        "  a[0] = __shfl_xor_sync(0xffffffffu, a[0], 1);\n"
        '  asm volatile("mma.sync.aligned.m16n8k8 {%0}, {%1};" : "=f"(a[1]) : "r"(b[1]));\n'
        "}\n"
    )
    (found,) = audited(code, "HP-WARP-003")
    assert (found.start.line, found.severity, found.fixed_by) == (2, Severity.MANUAL, "")
    assert found.suggestion.startswith("`hipport convert` keeps 32 lanes here at first.")
    assert "Pass a 64-bit mask" in found.suggestion


def test_the_block_of_a_kernel_for_tensor_cores_changes_with_it() -> None:
    code = (
        "__global__ void sums(float* a) {\n"
        "  a[0] = __shfl_sync(~0u, a[threadIdx.x], 0);\n"
        "}\n"
        "__global__ void tiles(float* a, unsigned* b) {\n"
        "  int warp = threadIdx.y;\n"
        '  asm volatile("mma.sync.aligned.m16n8k8 {%0}, {%1};" : "=f"(a[warp]) : "r"(b[warp]));\n'
        "}\n"
        "void f(float* a, unsigned* b) {\n"
        "  sums<<<1, dim3(32, 2)>>>(a);\n"
        "  tiles<<<1, dim3(32, 2)>>>(a, b);\n"
        "}\n"
    )
    found = audited(code, "HP-WARP-033")
    assert [(each.start.line, each.fixed_by) for each in found] == [(9, "convert"), (10, "")]


def test_a_mark_that_conversion_removes_is_done_by_it() -> None:
    code = "__global__ void k(__grid_constant__ int n);\n__global__ void __maxnreg__(8) l();\n"
    found = audited(code, "HP-LAUNCH-007")
    assert [(each.start.line, each.fixed_by) for each in found] == [(1, "convert"), (2, "")]


def test_a_runtime_header_that_only_nvcc_includes_is_included_by_conversion() -> None:
    code = "#include <cstdio>\n__global__ void k(float* a) { a[threadIdx.x] = 0; }\n"
    (found,) = audited(code, "HP-MAKE-013")
    assert (found.start.line, found.fixed_by) == (2, "convert")
    converted = convert_source(code.encode(), "k.cu", "cuda").data.decode()
    assert converted == f"#include <hip/hip_runtime.h>\n{code}"
