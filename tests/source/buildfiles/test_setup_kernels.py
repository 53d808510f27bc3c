"""Kernels in the strings of a setup.py, beside its flags."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command import hipport, make_tree, read_tree

SETUP = '''\
from torch.utils.cpp_extension import CUDAExtension, load_inline

SOURCE = """
__global__ void k(int *x) { x[0] = 1; }
void run(int *x) { k<<<1, 32>>>(x); cudaDeviceSynchronize(); }
"""
probe = load_inline("probe", cpp_sources="", cuda_sources=SOURCE)
ext = CUDAExtension("a", ["a.cu"], extra_compile_args={"nvcc": ["-O3", "--fmad=false"]})
'''
CONVERTED = '''\
from torch.utils.cpp_extension import CUDAExtension, load_inline

SOURCE = """
__global__ void k(int *x) { x[0] = 1; }
void run(int *x) { hipLaunchKernelGGL(k, dim3(1), dim3(32), 0, 0, x); hipDeviceSynchronize(); }
"""
probe = load_inline("probe", cpp_sources="", cuda_sources=SOURCE)
ext = CUDAExtension("a", ["a.cu"], extra_compile_args={"nvcc": ["-O3", "-ffp-contract=off"]})
'''
UNCERTAIN = '''\
from torch.utils.cpp_extension import load_inline

SOURCE = """
__global__ void k(int *x) { x[0] = cudaSuccess + %d; }
"""
probe = load_inline("probe", cpp_sources="", cuda_sources=SOURCE % 4)
'''


def converted(folder: Path, text: str) -> tuple[str, list[tuple[int, str]]]:
    """The new text, and the lines and codes of findings about kernels in strings."""
    make_tree(folder / "in", {"setup.py": text})
    hipport("convert", "in", "-o", "out", "--report", "report.json", cwd=folder)
    found = json.loads((folder / "report.json").read_text("utf-8"))["findings"]
    about = [(each["line"], each["code"]) for each in found if each["code"].startswith("HP-RTC")]
    return read_tree(folder / "out")["setup.py"], about


def test_kernels_and_flags_are_converted(tmp_path: Path) -> None:
    assert converted(tmp_path, SETUP) == (CONVERTED, [])
    assert converted(tmp_path / "again", CONVERTED) == (CONVERTED, [])


def test_what_is_not_certain_is_reported(tmp_path: Path) -> None:
    assert converted(tmp_path, UNCERTAIN) == (UNCERTAIN, [(3, "HP-RTC-007"), (6, "HP-RTC-008")])


def test_a_ported_setup_stays(tmp_path: Path) -> None:
    text = f"import torch\nis_rocm = torch.version.hip is not None\n{SETUP}"
    assert converted(tmp_path, text)[0] == text
