"""A source that a program reads or embeds as a text has no folder to include a header from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

KERNEL = """\
extern "C" __global__ void sum(float *a) {
    a[0] = __shfl_down_sync(0xffffffff, a[0], 1);
}
"""
READS = """\
import os

import cupy

FOLDER = os.path.dirname(__file__)
with open(os.path.join(FOLDER, "kernels", "sum.cu")) as file:
    SUM = cupy.RawKernel(file.read(), "sum")
"""
INCLUDED = '#include "../../hipport_warp32.h"'


def converted(folder: Path, files: dict[str, str]) -> tuple[str, bool]:
    """The converted kernel, and whether the header was written."""
    make_tree(folder / "in", {"waves/kernels/sum.cu": KERNEL, **files})
    hipport("convert", "-o", "out", "in", cwd=folder)
    text = (folder / "out/waves/kernels/sum.cu").read_text()
    return text, (folder / "out/hipport_warp32.h").exists()


@pytest.mark.parametrize(
    "files",
    [
        {"waves/sums.py": READS},
        {"waves/sums.py": "from pathlib import Path\n\nSUM = Path('kernels/sum.cu').read_text()\n",
         "waves/compiled.py": "from pycuda.compiler import SourceModule\n"},
        {"waves/sums.py": "names = ['common.h', 'sum.cu']\ntext = ''\nfor name in names:\n"
         "    with open(name) as file:\n        text += file.read()\n",
         "waves/compiled.py": "from torch.utils import cpp_extension\n"},
        {"waves/sums.rs": 'const SUM: &str = include_str!("kernels/sum.cu");\n'},
        {"waves/sums.rs": 'const SUM: &str = include_str!(concat!(env!("A"), "/sum.cu"));\n'},
        {"waves/sums.zig": 'const sum = @embedFile("kernels/sum.cu");\n'},
        {"waves/sums.go": "//go:embed other.cu kernels/sum.cu\nvar sum string\n"},
    ],
    ids=["cupy", "pycuda", "torch", "rust", "a folder of Rust's", "zig", "go"],
)  # fmt: skip
def test_a_source_that_is_read_has_the_functions_itself(
    files: dict[str, str], tmp_path: Path
) -> None:
    text, has_header = converted(tmp_path, files)
    assert "hipport_warp32.h" not in text
    assert "warp32::shfl_down_sync(0xffffffff, a[0], 1)" in text
    assert "namespace warp32" in text
    assert not has_header


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"setup.py": READS},
        {"waves/sums.py": READS.replace("sum.cu", "other.cu")},
        {"waves/sums.py": "import cupy\n\nNAMES = ['kernels/sum.cu']\nraw = cupy.RawModule\n"},
        {"check.py": "assert 'shfl' in open('waves/kernels/sum.cu').read()\n"},
        {"build.rs": 'compile("waves/kernels/sum.cu"); let text = include_str!("other.cu");\n'},
    ],
    ids=["no program", "a build file", "another source", "named only", "not compiled", "rust"],
)  # fmt: skip
def test_any_other_source_includes_the_header(files: dict[str, str], tmp_path: Path) -> None:
    text, has_header = converted(tmp_path, files)
    assert INCLUDED in text
    assert has_header


def test_a_program_that_begins_to_read_a_source_makes_it_be_converted_again(
    tmp_path: Path,
) -> None:
    first, _ = converted(tmp_path, {})
    second, _ = converted(tmp_path, {"waves/sums.py": READS})
    assert INCLUDED in first
    assert INCLUDED not in second
