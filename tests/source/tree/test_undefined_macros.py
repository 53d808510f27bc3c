"""Macros for AMD that sources test and no build file of the tree defines are reported once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import hipport, make_tree

SOURCE = "#if defined(USE_ROCM)\nint amd;\n#endif\n#ifdef __HIP_PLATFORM_AMD__\nint hip;\n#endif\n"
MAKE = "all: a.cu\n\tnvcc $(FLAGS) a.cu -o a\n"
FOUND = [("a.cu", 1, 13, "USE_ROCM")]


def reported(folder: Path, files: dict[str, str]) -> list[tuple[str, int, int, str]]:
    """The findings of a conversion, which are those of an audit too."""
    make_tree(folder / "in", files)
    hipport("convert", "-o", "out", "in", "--report", "report.json", cwd=folder)
    converted = _of(json.loads((folder / "report.json").read_text()))
    audited = hipport("audit", ".", "--format", "json", cwd=folder / "in")
    assert _of(json.loads(audited.out)) == converted
    return converted


def _of(report: dict[str, list[dict[str, Any]]]) -> list[tuple[str, int, int, str]]:
    return [
        (each["path"], each["line"], each["column"], each["symbol"])
        for each in report["findings"]
        if each["code"] == "HP-BUILD-005"
    ]


@pytest.mark.parametrize(
    "build",
    [
        {"Makefile": MAKE},
        {"CMakeLists.txt": "add_executable(a a.cu)\n"},
        {"setup.py": "from setuptools import setup\nsetup()\n"},
        {"setup.py": "from setuptools import setup\nsetup()\n", "ours.py": "import torch\n"},
    ],
    ids=lambda build: next(iter(build)),
)
def test_a_macro_that_nothing_defines(build: dict[str, str], tmp_path: Path) -> None:
    assert reported(tmp_path, {"a.cu": SOURCE, "b.h": SOURCE, **build}) == FOUND


@pytest.mark.parametrize(
    "files",
    {
        "no build file": {},
        "an option of make": {"Makefile": f"FLAGS = -DUSE_ROCM\n{MAKE}"},
        "an option of CMake": {"cmake/hip.cmake": "add_compile_definitions(USE_ROCM=1)\n"},
        "a header that is configured": {
            "CMakeLists.txt": "project(a)\n",
            "config.h.in": "#cmakedefine USE_ROCM\n",
        },
        "PyTorch, which defines it": {
            "setup.py": "from torch.utils.cpp_extension import CUDAExtension\n"
        },
        "PyTorch, which compiles it where the program runs": {
            "setup.py": "from setuptools import setup\nsetup()\n",
            "ours/kernels.py": "from torch.utils.cpp_extension import load\n\n"
            'kernels = load("ours", ["a.cu"])\n',
        },
        "the file itself": {"Makefile": MAKE, "config.h": "#define USE_ROCM 1\n"},
        "suppressed": {"Makefile": MAKE, "a.cu": "// hipport: ignore[HP-BUILD-005]\n" + SOURCE},
    }.items(),
    ids=lambda item: item[0],
)
def test_a_macro_that_is_defined(files: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    assert reported(tmp_path, {"a.cu": SOURCE, **files[1]}) == []


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("defined(USE_ROCM)", 1),
        ("1 && defined ( USE_ROCM )", 1),
        ("(USE_ROCM)", 1),
        # What others make of such a name is their own macro: PETSC_HAVE_HIP.
        ("PetscDefined(HAVE_HIP)", 0),
        ("IS_ENABLED( USE_ROCM )", 0),
    ],
)
def test_a_name_that_a_macro_makes_another_of(condition: str, count: int, tmp_path: Path) -> None:
    source = f"#if {condition}\nint amd;\n#endif\n"
    assert len(reported(tmp_path, {"a.cu": source, "Makefile": MAKE})) == count


@pytest.mark.parametrize(
    "header",
    [
        "// #define USE_ROCM 1\n",
        "/*\n#define USE_ROCM 1\n*/\n",
        'char s[] = R"(\n#define USE_ROCM\n)";\n',
    ],
    ids=["a line comment", "a comment", "a literal"],
)
def test_a_definition_that_is_no_code(header: str, tmp_path: Path) -> None:
    files = {"a.cu": SOURCE, "config.h": header, "Makefile": MAKE}
    assert reported(tmp_path, files) == FOUND
