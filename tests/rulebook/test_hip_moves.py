"""What a release of ROCm breaks or deprecates in code that is HIP already."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.rulebook.load import load
from tests.support.command import hipport, make_tree

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
"""
STEPS = {
    "5.7": [],
    "6.0": ["6 HP-HIP-001 hip/hcc_detail/hip_fp16.h"],
    "7.0": [
        "4 HP-HIP-001 hipfft.h",
        "7 HP-HIP-001 hipblasDoubleComplex",
        "8 HP-HIP-001 hipblasIcamax_v2",
        "9 HP-HIP-001 hipblasComplex",
        "11 HP-HIP-001 HIP_MEMSET_NODE_PARAMS",
    ],
    "7.1": [
        "13 HP-HIP-002 hipcub::CountingInputIterator",
        "17 HP-HIP-001 hipcub::TexRefInputIterator",
    ],
    "7.2": ["5 HP-HIP-002 roctracer/roctx.h"],
    "10.0": [
        "13 HP-HIP-001 hipcub::CountingInputIterator",
        "14 HP-HIP-001 hipcub::DeviceSpmv",
        "15 HP-HIP-001 hipcub::max",
        "16 HP-HIP-002 hipcub::Sum",
    ],
    "10.2": ["20 HP-HIP-001 hipMemAdvise"],
}
"""Release -> the findings of the planted code that it brings."""


def moves(text: str) -> list[str]:
    """The findings about moves that were printed, without severity and message."""
    found = re.findall(r"^\S+?:(\d+):\d+: \w+ (HP-HIP-\d{3}) `([^`]+)`", text, re.MULTILINE)
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
    assert moves(done.out) == sorted(reached.values(), key=lambda each: int(each.split()[0]))
    assert done.code == (1 if reached else 0)


def test_the_rewrite_is_told_where_it_is_certain(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cpp": PLANTED})
    done = hipport("check", "--rocm", "10.2", "--format", "json", "a.cpp", cwd=tmp_path)
    for told in (
        "Write hipblasIcamax. Its arguments are those of the _v2 form.",
        "Write hipDoubleComplex.",
        "Write <hip/amd_detail/hip_fp16.h>.",
        "Write hip::std::max.",
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
    hipport("convert", "a.cu", "--report", "report.json", "-o", "b.cu", cwd=tmp_path)
    report = (tmp_path / "report.json").read_text()
    assert "`cub::CountingInputIterator` is removed in ROCm 10.0" in report
    hipport(
        "convert", "a.cu", "--rocm", "7.0", "--report", "report.json", "-o", "c.cu", cwd=tmp_path
    )
    assert "HP-HIP" not in (tmp_path / "report.json").read_text()
