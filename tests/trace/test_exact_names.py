"""`hipport trace -p`: what libclang says about launches counts for more than their names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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


def test_each_launch_is_certain(folder: Path) -> None:
    assert kernels(traced(folder, "-p", ".", "a.hip", "lib.so")) == [
        ("likely", ["void spread<double>(double*, int)", "void spread<float>(float*, int)"]),
        ("certain", ["over(float*)"]),
        ("certain", ["over(int*)"]),
        ("certain", ["void spread<double>(double*, int)"]),
        ("certain", ["void spread<float>(float*, int)"]),
        ("certain", ["deep::hidden(float*)"]),
        ("certain", ["wide(float*)"]),
        ("certain", ["quiet(float*)"]),
    ]
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
