"""A C++ standard that rocPRIM rejects is reported where a build file sets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

THRUST = "#include <thrust/sort.h>\n"
CUB = "#include <cub/cub.cuh>\n"
CMAKE = "project(a LANGUAGES CXX CUDA)\nset(CMAKE_CUDA_STANDARD 14)\nadd_executable(a a.cu)\n"


def reported(folder: Path, files: dict[str, str], *options: str) -> list[tuple[str, int, int, str]]:
    make_tree(folder / "in", files)
    hipport("convert", "-o", "out", "in", "--report", "report.json", *options, cwd=folder)
    report = json.loads((folder / "report.json").read_text())
    return [
        (each["path"], each["line"], each["column"], each["symbol"])
        for each in report["findings"]
        if each["code"] == "HP-BUILD-006"
    ]


@pytest.mark.parametrize(
    "name, text, line, column, symbol",
    [
        ("CMakeLists.txt", CMAKE, 2, 5, "CMAKE_CUDA_STANDARD 14"),
        ("CMakeLists.txt", "target_compile_features(a PRIVATE cuda_std_14)", 1, 35, "cuda_std_14"),
        ("CMakeLists.txt", "set_target_properties(a PROPERTIES CUDA_STANDARD 11)", 1, 36,
         "CUDA_STANDARD 11"),
        ("Makefile", "a: a.cu\n\tnvcc -std=c++11 a.cu -o a\n", 2, 7, "-std=c++11"),
        ("setup.py", "flags = {'nvcc': ['-O3', '-std=c++14']}\n", 1, 27, "-std=c++14"),
    ],
)  # fmt: skip
def test_an_old_standard(
    name: str, text: str, line: int, column: int, symbol: str, tmp_path: Path
) -> None:
    files = {"src/a.cuh": CUB, name: text}
    assert reported(tmp_path, files) == [(name, line, column, symbol)]


@pytest.mark.parametrize(
    "source, build",
    [
        (THRUST, CMAKE.replace("14", "17")),
        (THRUST, CMAKE.replace("set", "# set")),
        ("#include <cuda_runtime.h>\n", CMAKE),
        (THRUST, "project(a)\nset(C_STANDARD 11)\nset(VERSION_OF_STANDARD 11)\n"),
    ],
    ids=["new enough", "a comment", "no header that needs it", "C"],
)
def test_nothing_to_report(source: str, build: str, tmp_path: Path) -> None:
    assert reported(tmp_path, {"a.cu": source, "CMakeLists.txt": build}) == []


def test_an_older_release_accepts_it(tmp_path: Path) -> None:
    files = {"a.cu": THRUST, "CMakeLists.txt": CMAKE}
    assert reported(tmp_path, files, "--rocm", "6.4") == []
    assert reported(tmp_path, files, "--rocm", "7.0") != []


def test_it_is_known_again_when_a_source_changes(tmp_path: Path) -> None:
    files = {"a.cu": "#include <cuda_runtime.h>\n", "CMakeLists.txt": CMAKE}
    assert reported(tmp_path, files) == []
    assert reported(tmp_path, {**files, "a.cu": THRUST}) != []


def test_a_reason_silences_it(tmp_path: Path) -> None:
    build = CMAKE.replace("14)", "14)  # hipport: ignore[HP-BUILD-006]: built with ROCm 6")
    assert reported(tmp_path, {"a.cu": THRUST, "CMakeLists.txt": build}) == []
