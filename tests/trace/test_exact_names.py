"""`hipport trace -p`: what libclang says about launches counts for more than their names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.binaries import output_of
from tests.support.folders import FIXTURES
from tests.support.tracing import built, trace, traced

pytestmark = pytest.mark.toolchain

SOURCE = """\
#ifndef WITHOUT_HEADERS
#include <hip/hip_runtime.h>
#endif
template <typename T> __global__ void spread(T *x, int by) { x[0] = x[by]; }
__global__ void over(float *x) { x[0] += 5; }
__global__ void over(int *x) { x[0] += 6; }
namespace deep { __global__ void hidden(float *x) { x[0] += 7; } }
static __global__ void quiet(float *x) { x[0] += 8; }
using namespace deep;
#if WIDE
__global__ void wide(float *x) { x[0] += 9; }
#else
__global__ void wide(float *x, int = 0) { x[0] += 9; }
#endif
int blocks(void (*kernel)(float *));
template <typename T> void spread_all(T *x) { spread<T><<<1, blocks(quiet)>>>(x, 1); }
void run(float *x, int *i, double *d)
{
    over<<<1, 64>>>(x);
    over<<<1, 64>>>(i);
    spread<<<1, 64>>>(d, 2);
    spread<<<1, 64>>>(x, 2);
    hidden<<<1, 64>>>(x);
    wide<<<1, 64>>>(x);
    quiet<<<1, 64>>>(x);
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.hip").write_text(SOURCE)
    built(tmp_path, "a.hip", options=("-DWITHOUT_HEADERS", "-DWIDE=1"))
    database(tmp_path, "-DWIDE=1")
    return tmp_path


def database(folder: Path, *options: str) -> None:
    words = ["hipcc", "--offload-arch=gfx90a", *options, "-c", "a.hip", "-o", "a.o"]
    row = {"directory": str(folder), "file": "a.hip", "arguments": words}
    (folder / "compile_commands.json").write_text(json.dumps([row]))


def kernels(found: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [
        (each["certainty"], [kernel["readable"] for kernel in each["kernels"]])
        for each in found["launches"]
    ]


EXACT = [
    ("likely", ["void spread<double>(double*, int)", "void spread<float>(float*, int)"]),
    ("certain", ["over(float*)"]),
    ("certain", ["over(int*)"]),
    ("certain", ["void spread<double>(double*, int)"]),
    ("certain", ["void spread<float>(float*, int)"]),
    ("certain", ["deep::hidden(float*)"]),
    ("certain", ["wide(float*)"]),
    ("certain", ["quiet(float*)"]),
]


def test_each_launch_is_certain(folder: Path) -> None:
    assert kernels(traced(folder, "-p", ".", "a.hip", "lib.so")) == EXACT
    guessed = [certainty for certainty, _ in kernels(traced(folder, "a.hip", "lib.so"))]
    assert guessed == ["likely"] * 7 + ["certain"]


def test_a_kernel_that_the_build_names_and_no_code_object_has(folder: Path) -> None:
    database(folder)
    launch = traced(folder, "-p", "compile_commands.json", "a.hip", "lib.so")["launches"][6]
    assert (launch["certainty"], launch["kernels"]) == ("none", [])
    assert launch["reason"] == "no code object has `_Z4widePfi`, which libclang says it names"


def test_a_unit_that_does_not_compile_is_said_and_matched_without(folder: Path) -> None:
    database(folder, "-DWIDE=1", "-include", "missing.h")
    ran = trace(folder, "-p", ".", "--fail-on", "never", "--format", "json", "a.hip", "lib.so")
    assert ran.code == 2
    assert "a.hip: its launches are matched without libclang" in ran.err
    assert "missing.h' file not found" in ran.err
    assert [certainty for certainty, _ in kernels(json.loads(ran.out))] == [
        *["likely"] * 7,
        "certain",
    ]


def test_a_database_that_is_missing(folder: Path) -> None:
    ran = trace(folder, "-p", "nowhere", "a.hip", "lib.so")
    assert (ran.code, ran.err) == (
        2,
        "hipport: nowhere: no such file (let CMake or bear write it)\n",
    )


CUDA = SOURCE.replace("hip/hip_runtime.h", "cuda_runtime.h").replace(
    "{ x[0] += 5; }", "{ x[0] += __only_on_devices(threadIdx.x); }"
)
HEADERS = FIXTURES / "semantic" / "cuda"


@pytest.fixture
def cuda_folder(tmp_path: Path) -> Path:
    """The same for CUDA; the binary is that of a port, which has the same kernels."""
    (tmp_path / "a.hip").write_text(SOURCE)
    built(tmp_path, "a.hip", options=("-DWITHOUT_HEADERS", "-DWIDE=1"))
    (tmp_path / "a.hip").unlink()
    (tmp_path / "a.cu").write_text(CUDA)
    words = "nvcc -forward-unknown-to-host-compiler -DWIDE=1 -std=c++17 -arch=sm_80 -x cu -c a.cu"
    row = {"directory": str(tmp_path), "file": "a.cu", "command": words}
    (tmp_path / "compile_commands.json").write_text(json.dumps([row]))
    return tmp_path


def test_cuda_is_compiled_with_its_headers(cuda_folder: Path) -> None:
    found = traced(cuda_folder, "-p", ".", "--cuda-path", HEADERS, "a.cu", "lib.so")
    assert kernels(found) == EXACT


def test_an_error_in_the_host_code_of_cuda_is_said(cuda_folder: Path) -> None:
    (cuda_folder / "a.cu").write_text(CUDA.replace("over<<<1, 64>>>(i);", "over<<<1, 64>>>(j);"))
    ran = trace(
        *(cuda_folder, "-p", ".", "--cuda-path", HEADERS, "--fail-on", "never"),
        *("--format", "json", "a.cu", "lib.so"),
    )
    assert ran.code == 2
    assert ran.err == (
        "hipport: a.cu: its launches are matched without libclang:"
        " use of undeclared identifier 'j'\n"
    )
    assert [certainty for certainty, _ in kernels(json.loads(ran.out))][:3] == ["likely"] * 3


def test_a_kernel_that_cuda_names_otherwise_than_the_port_is_likely(cuda_folder: Path) -> None:
    path = cuda_folder / "compile_commands.json"
    path.write_text(path.read_text().replace("-DWIDE=1", ""))
    found = traced(cuda_folder, "-p", ".", "--cuda-path", HEADERS, "a.cu", "lib.so")["launches"]
    assert (found[6]["certainty"], found[6]["reason"]) == (
        "likely",
        "no code object has `_Z4widePfi`, which libclang says it names in CUDA; found by its name",
    )


def test_headers_of_cuda_that_are_not_there(cuda_folder: Path) -> None:
    ran = trace(cuda_folder, "-p", ".", "--cuda-path", "nowhere", "a.cu", "lib.so")
    assert (ran.code, ran.err) == (
        2,
        "hipport: nowhere: no include/cuda_runtime.h there (check --cuda-path)\n",
    )


@pytest.mark.nvcc
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not on this machine")
def test_kernels_of_one_file_as_nvcc_names_them(cuda_folder: Path) -> None:
    source = CUDA.replace("__only_on_devices", "__int2float_rn").replace(
        "namespace deep {", "namespace deep { namespace {"
    )
    (cuda_folder / "a.cu").write_text(source.replace("+= 7; }", "+= 7; } }"))
    library = cuda_folder / "cuda.so"
    options = ("-arch=sm_80", "-DWIDE=1", "-Xcompiler", "-fPIC", "-shared")
    output_of("nvcc", *options, cuda_folder / "a.cu", "-o", library)
    assert kernels(traced(cuda_folder, "-p", ".", "a.cu", "cuda.so"))[5:] == [
        ("certain", ["deep::(anonymous namespace)::hidden(float*)"]),
        ("certain", ["wide(float*)"]),
        ("certain", ["quiet(float*)"]),
    ]
