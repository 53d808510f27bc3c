"""A source that no build file names, where they name most others, is not looked at, and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

KERNEL = '__global__ void k() { asm("mov.u32 %0, %laneid;"); }\n'
SOURCES = {f"src/{name}.cu": KERNEL for name in ("sums", "waves", "older")}
LISTED = "add_library(ours src/sums.cu\n  src/waves.cu\n  # src/older.cu\n)\n"


def unbuilt(folder: Path, files: dict[str, str]) -> list[str]:
    """The sources that the audit of a tree of these files left out as not built."""
    make_tree(folder, files)
    _, out, _ = hipport("audit", ".", "--format", "json", "--fail-on", "never", cwd=folder)
    report = json.loads(out)
    left_out = [
        each["path"] for each in report["files"] if each.get("reason") == "no build file names it"
    ]
    assert set(left_out).isdisjoint(
        each["path"] for each in report["findings"] if each["code"] != "HP-BUILD-009"
    )
    return left_out


def test_a_source_that_is_not_listed(tmp_path: Path) -> None:
    assert unbuilt(tmp_path, {**SOURCES, "CMakeLists.txt": LISTED}) == ["src/older.cu"]
    _, out, _ = hipport("audit", ".", "--select", "HP-BUILD-009", cwd=tmp_path)
    assert "src/older.cu:1:1: info HP-BUILD-009 `src/older.cu`: no build file" in out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/all.cuh", '#include "older.cu"\n'),
        ("load.cpp", 'auto text = read("src/older.cu");\n'),
        ("build.py", 'load("ours", sources=["src/older.cu"])\n'),
        ("Makefile", "objects = older.o\n"),
        ("cmake/kernels.cmake", "foreach(name older newer)\nendforeach()\n"),
        ("cmake/kernels.cmake", "add_kernel(${folder}/${name}.cu)\n"),
        ("cmake/kernels.cmake", 'file(GLOB sources "src/*.cu")\n'),
        ("Makefile", "%: %.cu\n\tnvcc $< -o $@\n"),
        ("setup.py", 'sources = [path for path in files if path.endswith(".cu")]\n'),
        ("setup.py", 'sources = [f"src/{name}_sum.cu" for name in names]\n'),
        ("run.sh", 'for each in src/*.cu; do nvcc "$each"; done\n'),
    ],
)
def test_it_may_be_built_otherwise(tmp_path: Path, name: str, text: str) -> None:
    assert unbuilt(tmp_path, {**SOURCES, "CMakeLists.txt": LISTED, name: text}) == []


def test_a_comment_builds_nothing(tmp_path: Path) -> None:
    header = "// What older.cu has: src/older.cu.\nvoid launch();\n"
    files = {**SOURCES, "CMakeLists.txt": LISTED, "src/sums.h": header}
    assert unbuilt(tmp_path, files) == ["src/older.cu"]


def test_a_build_that_names_few(tmp_path: Path) -> None:
    assert unbuilt(tmp_path, {**SOURCES, "CMakeLists.txt": "add_library(ours src/sums.cu)\n"}) == []
    assert unbuilt(tmp_path, {**SOURCES, "CMakeLists.txt": "project(ours)\n"}) == []


def test_a_gate_looks_at_it_all_the_same(tmp_path: Path) -> None:
    make_tree(tmp_path, {**SOURCES, "CMakeLists.txt": LISTED})
    code, out, _ = hipport("check", ".", cwd=tmp_path)
    assert code == 1
    assert "src/older.cu:1:" in out
    assert "HP-BUILD-009" not in out


@pytest.mark.parametrize("name", ["sumsX", "sums_", "sums_old", "sums.bak2", "sums-orig"])
def test_an_older_copy_of_a_source_that_alone_is_listed(tmp_path: Path, name: str) -> None:
    files = {"src/sums.cu": KERNEL, f"src/{name}.cu": KERNEL, "src/other.cu": KERNEL}
    build = {"CMakeLists.txt": "add_library(ours src/sums.cu)\n"}
    assert unbuilt(tmp_path, files | build) == [f"src/{name}.cu"]


@pytest.mark.parametrize("name", ["other_old", "sums2", "sums_wide"])
def test_a_source_of_its_own(tmp_path: Path, name: str) -> None:
    files = {"src/sums.cu": KERNEL, f"src/{name}.cu": KERNEL, "src/other.cu": KERNEL}
    build = {"CMakeLists.txt": "add_library(ours src/sums.cu)\n"}
    assert unbuilt(tmp_path, files | build) == []
