"""Builds that name no GPUs: said of a whole project, and not where another file names some."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

PROJECT = "project(sums LANGUAGES CXX CUDA)\nadd_library(sums sums.cu)\n"
MAKEFILE = "sums: sums.cu\n\tnvcc -O3 -o sums sums.cu\n"
SETS_GPUS = "set(CMAKE_CUDA_ARCHITECTURES 80)\nadd_library(parts parts.cu)\n"
CODES = ("HP-CMAKE-372", "HP-MAKE-373")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"CMakeLists.txt": PROJECT}, ["CMakeLists.txt"]),
        ({"Makefile": MAKEFILE}, ["Makefile"]),
        ({"parts/CMakeLists.txt": PROJECT}, []),
        ({"parts/Makefile": MAKEFILE}, []),
        ({"CMakeLists.txt": PROJECT, "parts/CMakeLists.txt": SETS_GPUS}, []),
    ],
)
def test_of_the_whole(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    make_tree(tmp_path, files)
    done = hipport("audit", ".", "--format", "json", "--fail-on", "never", cwd=tmp_path)
    found = json.loads(done.out)["findings"]
    assert [each["path"] for each in found if each["code"] in CODES] == expected
