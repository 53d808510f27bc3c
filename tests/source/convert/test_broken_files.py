"""What `python -m benchmarks.syntax` counts as broken, and which units share headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.shared_headers import defines_first
from benchmarks.syntax import Broken, compared

BEFORE = {
    "setup.py": 'flags = ["-O3", "--expt-relaxed-constexpr"]\n',
    "old.py": "print 'of Python 2'\n",
    "kernel.cu": "void f() { g<<<1, 1>>>(a); }\n",
    "launch.cuh": "void f() { g<int, 4><<<1, 1>>>(a); }\n",
    "guide.h": "_CCCL_HOST_DEVICE pair(A, B) -> pair<A, B>;\n",
    "each.cu": "void f() { FOR_EACH(if (a) { g<1><<<b, c>>>(p); }); }\n",
    "CMakeLists.txt": "enable_language(CUDA)\n",
    "CMakePresets.json": '{"version": 3}\n',
    "pyproject.toml": "[project]\n",
    "Makefile": "all:\n\tnvcc -o a a.cu\n",
    "same.cu": "int broken(\n",
    "notes.odt": "cuda",
}


def folders(where: Path, changed: dict[str, str]) -> tuple[Path, Path]:
    before, after = where / "before", where / "after"
    for folder, files in ((before, BEFORE), (after, BEFORE | changed)):
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
    return before, after


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", 'flags = ["-O3", ,]\n'),
        ("kernel.cu", "void f() { hipLaunchKernelGGL(g, dim3(1), dim3(1, 0, 0, a); }\n"),
        ("each.cu", "void f() { FOR_EACH(if (a) { h(HIP_KERNEL_NAME(g<1>), b, ); }); }\n"),
        ("CMakeLists.txt", "enable_language(HIP\n"),
        ("CMakePresets.json", '{"version": 3,}\n'),
        ("pyproject.toml", "[project\n"),
        ("Makefile", "all:\n\thipcc -o 'a a.cu\n"),
    ],
)
def test_a_broken_file_is_counted(name: str, text: str, tmp_path: Path) -> None:
    result = compared(*folders(tmp_path, {name: text}))
    assert result.broken == [Broken(name, 0, 1)]
    assert result.read.total() == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", 'flags = ["-O3"]\n'),
        ("old.py", "print 'of Python 2, still'\n"),
        ("kernel.cu", "void f() { hipLaunchKernelGGL(g, dim3(1), dim3(1), 0, 0, a); }\n"),
        ("each.cu",
         "void f() { FOR_EACH(if (a) { h(HIP_KERNEL_NAME(g<1>), dim3(b), 0, p); }); }\n"),
        # It is not read in either form.
        ("guide.h", "__host__ __device__ pair(A, B) -> pair<A, B>;\n"),
        ("launch.cuh",
         "void f() { hipLaunchKernelGGL(HIP_KERNEL_NAME(g<int, 4>), dim3(1), dim3(1), 0, 0, a); }"),
    ],
)  # fmt: skip
def test_a_sound_file_is_not(name: str, text: str, tmp_path: Path) -> None:
    result = compared(*folders(tmp_path, {name: text}))
    assert (result.broken, result.unread, result.read.total()) == ([], [], 1)


def test_what_nothing_reads_is_named(tmp_path: Path) -> None:
    assert compared(*folders(tmp_path, {"notes.odt": "hip"})).unread == ["notes.odt"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"// #define A\n#include <a.h>\n#define B\n", False),
        (b"#include <a.h>\n", False),
        (b"int a;\n", False),
        (b"# define A 1\n#include <a.h>\n", True),
        (b"\n#undef A\n#include <a.h>\n", True),
        (b"#define A 1\n", True),
    ],
)
def test_a_macro_before_the_first_header(text: bytes, expected: bool) -> None:
    """Such a macro may change what headers mean: the unit gets no precompiled ones."""
    assert defines_first(text) == expected
