"""Kernels in files that PyCUDA compiles as texts, which it puts into extern "C"."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

KERNELS = """// Scales and fills.
template <typename T> __device__ T twice(T x) { return x + x; }
__global__ void unused(float* x) { x[0] = 0; }

__global__ void __launch_bounds__(256)
scale(float* x, int scale_of) {
  x[threadIdx.x] = twice(x[threadIdx.x]) * scale_of;
}
__global__ void fill(float* x) { x[threadIdx.x] = 1; }
"""
LOADER = """from pycuda.compiler import SourceModule


class Kernels:
    def __init__(self, text):
        self.module = SourceModule(text)

    def scale(self):
        return self.module.get_function("scale")

    def fill(self):
        return self.module.get_function('fill')
"""
PROGRAM = """from pathlib import Path
from ours.loader import Kernels

kernels = Kernels((Path(__file__).parent / "kernels" / "scale.cu").read_text())
"""
FILES = {"kernels/scale.cu": KERNELS, "ours/loader.py": LOADER, "run.py": PROGRAM}


def found(tree: Path, files: dict[str, str]) -> list[tuple[str, int, str]]:
    """(file, line, kernel) of each finding about such a kernel."""
    make_tree(tree, files)
    done = hipport("audit", ".", "--format", "json", cwd=tree)
    findings = json.loads(done.out)["findings"]
    return [
        (each["path"], each["line"], each["symbol"])
        for each in findings
        if each["code"] == "HP-PY-411"
    ]


def test_the_first_kernel_that_is_asked_for(tmp_path: Path) -> None:
    assert found(tmp_path, FILES) == [("kernels/scale.cu", 6, "scale")]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("ours/loader.py", "SourceModule(text)", "SourceModule(text, no_extern_c=True)"),
        ("ours/loader.py", "SourceModule", "OtherModule"),
        ("kernels/scale.cu", "// Scales and fills.", 'extern "C" void other();'),
        ("run.py", "scale.cu", "other.cu"),
    ],
)
def test_without_what_makes_its_name_plain(tmp_path: Path, file: str, old: str, new: str) -> None:
    assert found(tmp_path, {**FILES, file: FILES[file].replace(old, new)}) == []


def test_a_template_has_no_plain_name(tmp_path: Path) -> None:
    kernels = KERNELS.replace(
        "__global__ void __launch", "template <int N>\n__global__ void __launch"
    )
    files = {**FILES, "kernels/scale.cu": kernels}
    assert found(tmp_path, files) == [("kernels/scale.cu", 10, "fill")]
