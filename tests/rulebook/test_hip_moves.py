"""What a release of ROCm breaks or deprecates in code that is HIP already."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.source.text.required_texts import required
from tests.support.command import hipport, make_tree
from tests.support.folders import CHECKOUT

PLANTED = """\
#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>
#include <hipcub/hipcub.hpp>
#include <hipfft.h>
#include <roctracer/roctx.h>
#include "hip/hcc_detail/hip_fp16.h"
void blas(hipblasHandle_t h, hipblasDoubleComplex *x) {
  hipblasIcamax_v2(h, 1, 0, 1, 0);
  hipblasComplex *y = nullptr;
}
void graph(HIP_MEMSET_NODE_PARAMS *p) {}
void cub(float *x) {
  hipcub::CountingInputIterator<int> numbers(0);
  hipcub::DeviceSpmv::CsrMV(nullptr, *x);
  float y = hipcub::max(x[0], x[1]);
  hipcub::DeviceReduce::Reduce(nullptr, *x, x, x, 4, hipcub::Sum(), 0.f);
  hipcub::TexRefInputIterator<float, 1> texture;
}
void advise(void *p) {
  hipMemAdvise(p, 4, hipMemAdviseSetReadMostly, 0);
  ::hipMemAdvise(p, 4, hipMemAdviseSetReadMostly, 1);
}
#include <rocm_smi/rocm_smi.h>
#include <rocprim/type_traits_interface.hpp>
#include <hiptensor/hiptensor.hpp>
#include <hipsolver/internal/hipsolver-compat.h>
void query(int *value) { hipDeviceGetAttribute(value, hipDeviceAttributeGcnArch, 0); }
amdsmi_status_t power(amdsmi_processor_handle h) { return amdsmi_get_dpm_policy(h, nullptr); }
const int missing = AMDSMI_NO_DRV, link = AMDSMI_IOLINK_TYPE_PCIEXPRESS;
auto count = amdsmi_get_cpusocket_handles;
amdsmi_power_type_t kind;
void sparse(hipsparseHandle_t h) { hipsparseSpSM_solve(h); }
void prims() { auto n = rocprim::device_warp_size(); rocprim::thread_load<rocprim::load_cs>(p); }
auto plan = hiptensorInitContractionPlan;
auto status = rocblas_gemm_ex3(handle);
auto tensor = hiptensorContraction;
int version = rsmi_init(0);
#if __gfx940__
#endif
rocsparse_indextype type = rocsparse_indextype_u16;
"""
STEPS = {
    "5.7": [],
    "6.0": [
        "6 HP-HIP-001 hip/hcc_detail/hip_fp16.h",
        "27 HP-HIP-001 hipDeviceAttributeGcnArch",
    ],
    "6.2": [
        "26 HP-HIP-002 hipsolver/internal/hipsolver-compat.h",
        "28 HP-HIP-001 amdsmi_get_dpm_policy",
        "29 HP-HIP-001 AMDSMI_NO_DRV",
        "35 HP-HIP-002 rocblas_gemm_ex3",
    ],
    "6.3": ["30 HP-HIP-001 amdsmi_get_cpusocket_handles"],
    "6.4": ["31 HP-HIP-001 amdsmi_power_type_t"],
    "7.0": [
        "4 HP-HIP-001 hipfft.h",
        "7 HP-HIP-001 hipblasDoubleComplex",
        "8 HP-HIP-001 hipblasIcamax_v2",
        "9 HP-HIP-001 hipblasComplex",
        "11 HP-HIP-001 HIP_MEMSET_NODE_PARAMS",
        "24 HP-HIP-001 rocprim/type_traits_interface.hpp",
        "29 HP-HIP-001 AMDSMI_IOLINK_TYPE_PCIEXPRESS",
        "33 HP-HIP-001 rocprim::device_warp_size",
        "33 HP-HIP-001 rocprim::load_cs",
        "34 HP-HIP-001 hiptensorInitContractionPlan",
        "35 HP-HIP-001 rocblas_gemm_ex3",
        "36 HP-HIP-001 hiptensorContraction",
        "38 HP-HIP-001 __gfx940__",
    ],
    "7.1": [
        "13 HP-HIP-002 hipcub::CountingInputIterator",
        "17 HP-HIP-001 hipcub::TexRefInputIterator",
    ],
    "7.2": [
        "5 HP-HIP-002 roctracer/roctx.h",
        "25 HP-HIP-002 hiptensor/hiptensor.hpp",
    ],
    "7.14": ["40 HP-HIP-002 rocsparse_indextype_u16"],
    "10.0": [
        "13 HP-HIP-001 hipcub::CountingInputIterator",
        "14 HP-HIP-001 hipcub::DeviceSpmv",
        "15 HP-HIP-001 hipcub::max",
        "16 HP-HIP-002 hipcub::Sum",
        "23 HP-HIP-001 rocm_smi/rocm_smi.h",
        "32 HP-HIP-002 hipsparseSpSM_solve",
        "37 HP-HIP-001 rsmi_init",
        "40 HP-HIP-001 rocsparse_indextype_u16",
    ],
    "10.2": ["20 HP-HIP-001 hipMemAdvise"],
}
"""Release -> the findings of the planted code that it brings."""


def moves(text: str) -> list[str]:
    """The findings about moves that were printed, without severity and message."""
    found = re.findall(
        r"^\S+?:(\d+):\d+: \w+ (HP-HIP-\d{3})(?: \[\*\])? `([^`]+)`", text, re.MULTILINE
    )
    return [" ".join(each) for each in found]


@pytest.mark.parametrize("release", STEPS)
def test_each_release_brings_its_breaks(release: str, tmp_path: Path) -> None:
    """What was deprecated is removed later: the later release says only that."""
    make_tree(tmp_path, {"a.cpp": PLANTED})
    done = hipport("check", "--rocm", release, "--fail-on", "review", "a.cpp", cwd=tmp_path)
    reached: dict[str, str] = {}
    for step, lines in STEPS.items():
        for line in lines:
            number, code, symbol = line.split()
            reached[f"{number} {symbol}"] = f"{number} {code} {symbol}"
        if step == release:
            break
    assert sorted(moves(done.out)) == sorted(reached.values())
    assert done.code == (1 if reached else 0)


def test_the_rewrite_is_told_where_it_is_certain(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cpp": PLANTED})
    command = ("check", "--rocm", "10.2", "--fail-on", "review", "--format", "json", "a.cpp")
    done = hipport(*command, cwd=tmp_path)
    for told in (
        "Write hipblasIcamax.",
        "Write hipDoubleComplex.",
        "Write <hip/amd_detail/hip_fp16.h>.",
        "Write hip::std::max of libhipcxx.",
        "Write <hiptensor/hiptensor.h>.",
        "Call amdsmi_get_soc_pstate.",
        "Use rocprim::counting_iterator.",
    ):
        assert f'"{told}"' in done.out


def test_ordinary_hip_code_is_left_alone(tmp_path: Path) -> None:
    code = """\
#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>
#include <hipcub/hipcub.hpp>
#include <hipfft/hipfft.h>
namespace mine { struct hipblasComplex { float x; }; void hipMemAdvise(int); }
struct Pool { void hipMemAdvise(int); };
// hipblasIcamax_v2 and hipcub::max are gone
const char *text = "hipblasComplex";
__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
int main() {
  float *x;
  hipMalloc(&x, 4);
  hipLaunchKernelGGL(scale, dim3(1), dim3(1), 0, 0, x);
  mine::hipMemAdvise(0);
  Pool pool;
  pool.hipMemAdvise(1);
  hipcub::DeviceReduce::Sum(nullptr, *x, x, x, 1);
  hipblasDgemm(nullptr, HIPBLAS_OP_N, HIPBLAS_OP_N, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1);
  return hipDeviceSynchronize();
}
"""
    make_tree(tmp_path, {"a.cpp": code})
    done = hipport("check", "--rocm", "10.2", "--fail-on", "review", "a.cpp", cwd=tmp_path)
    assert (done.code, moves(done.out)) == (0, [])


CERTAIN = """\
#include <hipfft.h>
#include <hipblas/hipblas.h>
hipblasDoubleComplex z;
auto f = hipblasIzamax_v2;
auto g = ::hipblasZgemm_v2_64;
auto format = ncclFp8E4M3;
auto tensor = hiptensorContraction;
hipcub::CountingInputIterator<int> i(0);
#if HIP_VERSION_MAJOR < 7
hipblasComplex old;
#endif
#ifdef __HIP_PLATFORM_HCC__
#endif
"""


def test_a_conversion_writes_what_is_certain(tmp_path: Path) -> None:
    """What needs more than a new name stays, what is for an older release, and ported code."""
    make_tree(tmp_path, {"a.cpp": CERTAIN})
    hipport("convert", "--rocm", "6.4", "a.cpp", "-o", "old", cwd=tmp_path)
    assert (tmp_path / "old/a.cpp").read_text() == CERTAIN
    hipport("convert", "--rocm", "7.2", "a.cpp", "-o", "new", cwd=tmp_path)
    expected = CERTAIN
    for old, new in (
        ("<hipfft.h>", "<hipfft/hipfft.h>"),
        ("hipblasDoubleComplex z", "hipDoubleComplex z"),
        ("hipblasIzamax_v2", "hipblasIzamax"),
        ("hipblasZgemm_v2_64", "hipblasZgemm_64"),
        ("ncclFp8E4M3", "ncclFloat8e4m3"),
    ):
        expected = expected.replace(old, new)
    assert (tmp_path / "new/a.cpp").read_text() == expected
    done = hipport("check", "--rocm", "7.2", "new", cwd=tmp_path)
    assert moves(done.out) == [
        "7 HP-HIP-001 hiptensorContraction",
        "12 HP-HIP-001 __HIP_PLATFORM_HCC__",
    ]


def test_reports_have_the_edit(tmp_path: Path) -> None:
    """SARIF's fixes, and those of JSON: what a tool can apply without hipport."""
    make_tree(tmp_path, {"a.cpp": CERTAIN})
    command = ("check", "--rocm", "7.2", "a.cpp", "--format")
    found = json.loads(hipport(*command, "sarif", cwd=tmp_path).out)["runs"][0]["results"]
    (fix,) = found[0]["fixes"]
    assert fix == {
        "description": {"text": "Write hipfft/hipfft.h (safe)."},
        "artifactChanges": [
            {
                "artifactLocation": {"uri": "a.cpp"},
                "replacements": [
                    {
                        "deletedRegion": {
                            "startLine": 1,
                            "startColumn": 11,
                            "endLine": 1,
                            "endColumn": 19,
                        },
                        "insertedContent": {"text": "hipfft/hipfft.h"},
                    }
                ],
            }
        ],
    }
    assert [each["message"]["text"] for each in found if "fixes" not in each] == [
        "`hiptensorContraction` is removed in ROCm 7.0. Call hiptensorContract with a plan."
    ]
    rows = json.loads(hipport(*command, "json", cwd=tmp_path).out)["findings"]
    assert rows[1]["fix"]["edits"] == [
        {"line": 3, "column": 1, "end_line": 3, "end_column": 21, "text": "hipDoubleComplex"}
    ]


def test_code_for_several_releases_is_left_alone(tmp_path: Path) -> None:
    code = """\
#include <hip/hip_version.h>
#if ROCM_VERSION >= 70000
using Complex = hipDoubleComplex;
#else
using Complex = hipblasDoubleComplex;
#endif
#if defined(__HIP_PLATFORM_HCC__) || defined(__HIP_PLATFORM_AMD__)
#endif
"""
    make_tree(tmp_path, {"a.cpp": code})
    done = hipport("check", "--rocm", "10.2", "--fail-on", "review", "a.cpp", cwd=tmp_path)
    assert (done.code, moves(done.out)) == (0, [])


def has_one(pattern: str, hints: Iterable[str]) -> bool:
    """Whether every match of a pattern has one of the hints."""
    return any(
        all(any(hint in text for hint in hints) for text in texts)
        for texts in required(pattern.strip("<>"))
    )


def test_every_move_is_looked_for() -> None:
    """Files without the hints of a finding, or the texts of the rewrite, are passed over."""
    findings = load(is_audit=True).findings
    (rewrite,) = (each for each in load().rewrites if each.name == "moved_name")
    for move in load().moves:
        code = "HP-HIP-002" if move.change == "deprecated" else "HP-HIP-001"
        assert has_one(move.name, findings[code].hints), move.name
        if move.change == "removed" and move.to and not move.advice:
            assert has_one(move.name, rewrite.when), move.name


def test_the_rulebook_writes_no_name_that_has_gone() -> None:
    """A name that the newest release has removed is no counterpart, unless the line says so."""
    gone = [re.compile(each.name) for each in load().moves if each.change == "removed"]
    applied = {name for name, each in load().libraries.items() if each.policy != "none"}
    written = [
        rule.hip
        for rule in load().every_api()
        if rule.hip and not rule.hip_removed and rule.library in applied
    ]
    assert len(written) > 5_000
    assert [name for name in written if any(each.fullmatch(name) for each in gone)] == []


def test_a_conversion_tells_what_hipcub_has_removed(tmp_path: Path) -> None:
    """hipCUB had it under CUB's name; that it compiles no more, a rename would hide."""
    code = "#include <cub/cub.cuh>\nvoid f() { cub::CountingInputIterator<int> i(0); }\n"
    make_tree(tmp_path, {"a.cu": code})
    hipport("convert", "a.cu", "--report", "report.json", "-o", "b", cwd=tmp_path)
    report = (tmp_path / "report.json").read_text()
    assert "`cub::CountingInputIterator` is removed in ROCm 10.0" in report
    hipport("convert", "a.cu", "--rocm", "7.0", "--report", "report.json", "-o", "c", cwd=tmp_path)
    assert "HP-HIP" not in (tmp_path / "report.json").read_text()


@pytest.mark.parametrize("release", ["6.2", load().edition.rocm])
def test_what_is_converted_for_a_release_is_whole_in_it(release: str, tmp_path: Path) -> None:
    """NVTX becomes roctracer's interface, which is deprecated: its successor is another library."""
    programs = CHECKOUT / "fixtures/cuda"
    command = ("convert", "-q", "--isolated", "--rocm", release, str(programs), "-o", "out")
    assert hipport(*command, cwd=tmp_path).code in (0, 1)
    done = hipport("check", "--isolated", "--rocm", release, "out", cwd=tmp_path)
    found = {each.partition(" ")[2] for each in moves(done.out)}
    assert found <= {"HP-HIP-002 roctracer/roctx.h"}
