"""Branches of code for HIP that no build of it takes: the audit reports nothing in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.names.counterparts import Decisions
from tests.support.auditing import audited

RULES = load(is_audit=True)
HIP = "#include <hip/hip_runtime.h>\n"


def places(code: str, rule: str) -> list[int]:
    decisions = Decisions(RULES, default_options(RULES))
    found = convert_source(code.encode(), "a.cpp", "cpp", decisions).findings
    return [each.start.line for each in found if each.code == rule]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("#if CUDA_VERSION >= 11000\n", []),
        ("#if __CUDACC_VER_MAJOR__ >= 9\n", []),
        ("#if defined(__NVCC__) && OURS > 2\n", []),
        ("#if CUDA_VERSION < 11000\n", [4]),
        ("#if CUDA_VERSION >= 11000 || OURS_HAVE_HIP\n", [4]),
        ("#if OURS > 2\n", [4]),
    ],
)
def test_versions_of_cuda_leave_branches_out(before: str, expected: list[int]) -> None:
    code = f"{HIP}#include <hipblas/hipblas.h>\n{before}hipblasComplex z;\n#endif\n"
    assert places(code, "HP-HIP-001") == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("#if defined(__NVCC__)\n", []),
        ("#ifdef __CUDA_ARCH__\n", []),
        ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n", []),
        ("#if defined(__CUDA_ARCH__) || defined(__HIPCC__)\n", [9]),
        ("#if OURS > 2\n", [9]),
    ],
)
def test_macros_of_nvcc_in_a_file_for_both(before: str, expected: list[int]) -> None:
    asm = 'asm volatile("rcp.rn.f32 %0, %0;" : "+f"(x));\n'
    code = (
        "#if defined(__HIPCC__)\n#include <hip/hip_runtime.h>\n#define gpuFree hipFree\n#endif\n"
        "#include <cuda_runtime.h>\n"
        f"__device__ float f(float x) {{\n\n{before}{asm}#endif\nreturn x;\n}}\n"
    )
    assert places(code, "HP-ASM-002") == expected
    for_cuda = code.replace("__HIPCC__", "OURS").replace("||", "&&")
    assert places(for_cuda, "HP-ASM-002") == [9]


@pytest.mark.parametrize(("platform", "severity"), [("NVCC", "review"), ("HCC", "manual")])
def test_a_test_of_the_platform_of_nvidia_is_a_look(
    tmp_path: Path, platform: str, severity: str
) -> None:
    (tmp_path / "a.cpp").write_text(
        f"{HIP}#ifdef __HIP_PLATFORM_{platform}__\n#warning odd\n#endif\n"
    )
    assert [(each.code, each.severity.word) for each in audited(tmp_path)] == [
        ("HP-HIP-001", severity)
    ]


def test_the_condition_itself_is_reported() -> None:
    code = f"{HIP}#if CUDA_VERSION >= 11000\nint fast;\n#endif\n"
    assert places(code, "HP-GUARD-003") == [2]


def test_names_of_hip_say_that_code_is_for_hip() -> None:
    branch = "#if CUDA_VERSION >= 11000\nhipblasComplex z;\n#endif\n"
    assert places(f'#include "ours.h"\nhipblasHandle_t h;\n{branch}', "HP-HIP-001") == []
    ported = "#ifdef __HIP__\nhipblasHandle_t h;\n#endif\n"
    function = "__device__ int f(unsigned m) { return __any_sync(m, 1); }\n"
    code = f"#if CUDA_VERSION >= 11000\n{function}#endif\n"
    assert places(f"{ported}{code}", "HP-WARP-003") == [5]
    assert places(f"hipblasHandle_t h;\n{code}", "HP-WARP-003") == []


def test_a_mask_of_32_bits_behind_a_test_of_nvcc_is_no_finding() -> None:
    code = (
        "__device__ int f(unsigned mask, int a) {\n"
        "#if (__CUDACC_VER_MAJOR__ >= 9)\n  return __shfl_sync(mask, a, 0);\n"
        "#else\n  return __shfl(a, 0);\n#endif\n}\n"
    )
    assert places(HIP + code, "HP-WARP-003") == []
    assert places(code, "HP-WARP-003") == [3]


def test_a_file_chooses_among_branches() -> None:
    chain = (
        "#ifdef PRECISION_z\ntypedef hipblasDoubleComplex type;\n"
        "#elif defined(PRECISION_c)\ntypedef hipblasComplex type;\n"
        "#else\ntypedef hipblasComplex other;\n#endif\n"
    )
    assert places(f"{HIP}#define PRECISION_c\n{chain}", "HP-HIP-001") == [6]
    assert places(f"{HIP}#define PRECISION_z\n{chain}", "HP-HIP-001") == [4]
    assert places(HIP + chain, "HP-HIP-001") == [3, 5, 7]
    assert places(f"{HIP}{chain}#define PRECISION_c\n", "HP-HIP-001") == [3, 5, 7]


@pytest.mark.parametrize("header", ["#define CUDA_VERSION 12000\n", "int ours;\n"])
def test_a_header_may_define_cudas_version_for_hip(tmp_path: Path, header: str) -> None:
    (tmp_path / "ours.h").write_text(f"{HIP}{header}")
    code = '#include "ours.h"\n#if CUDA_VERSION >= 11000\nhipblasComplex z;\n#endif\n'
    (tmp_path / "a.cpp").write_text(code)
    found = [each.start.line for each in audited(tmp_path) if each.code == "HP-HIP-001"]
    assert found == ([3] if "12000" in header else [])
