"""A tree that defines HIP's functions is HIP for others: it does not use what HIP's names are."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.rulebook.load import load
from tests.support.auditing import audited
from tests.support.command import make_tree

USING = """#include <hip/hip_runtime.h>
hipError_t bind(const textureReference* it, void* at) { return hipCtxSynchronize(); }
__device__ float atomicAdd(float* address, float value) { return 0; }
__global__ void lanes(int* at) { asm("mov.u32 %0, %laneid;" : "=r"(*at)); }
"""
FOUND = ["HP-API-015", "HP-ATOM-007", "HP-TEX-001"]


def of_names(folder: Path, defining: str) -> list[str]:
    make_tree(folder, {"src/runtime.cpp": defining, "src/using.cpp": USING})
    codes = {each.code for each in audited(folder)}
    assert "HP-ASM-004" in codes
    return sorted(codes.intersection(FOUND))


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        ("hipError_t {name}(void* given,\n    int flags) {{\n  return hipSuccess;\n}}\n", []),
        ("hipError_t {name}(void* given, int flags);\n", FOUND),
        ("  return {name}(given) {{\n", FOUND),
    ],
)
def test_what_defines_the_functions_of_hip(tmp_path: Path, shape: str, found: list[str]) -> None:
    names = sorted(each for each in load().hip_names() if each.startswith("hipD"))
    text = "".join(shape.format(name=each) for each in names)
    assert of_names(tmp_path, f"#include <hip/hip_runtime.h>\n{text}") == found


def test_functions_of_ones_own(tmp_path: Path) -> None:
    text = "".join(f"int hipWaves{number}(int at) {{\n  return at;\n}}\n" for number in range(200))
    assert of_names(tmp_path, text) == FOUND


def test_few_of_them_are_stand_ins(tmp_path: Path) -> None:
    text = "hipError_t hipDeviceReset(void) {\n  return hipSuccess;\n}\n"
    assert of_names(tmp_path, text) == FOUND
