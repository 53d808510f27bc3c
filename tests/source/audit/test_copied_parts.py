"""Findings in the examples, tests and CI of a copied project are notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.noted import noted

KERNEL = "__global__ void k(float* a) { atomicAdd(a, 1.0f); }\nint main() { k<<<1, 64>>>(0); }\n"


def found(folder: Path, path: str) -> list[str]:
    package = {"setup.py": "from setuptools import setup\nsetup()\n"}
    return noted(folder, package | {path: KERNEL}, ("HP-ATOM", "HP-USE"))


@pytest.mark.parametrize(
    "part",
    [
        "third_party/waves/tests",
        "external/waves/waves/examples",
        "src/extern/waves/unittest",
        "vendor/waves/more/gpu_tests",
    ],
)
def test_a_part_that_is_left_out(tmp_path: Path, part: str) -> None:
    name = part.removeprefix("src/")
    assert found(tmp_path, f"{part}/one/a.cu") == [f"HP-USE-005 {name}"]


@pytest.mark.parametrize(
    "folder",
    [
        "tests",
        "third_party/waves/src",
        "third_party/nccl-tests/src",
        "third_party/tests",
        "vendor/waves/testsuite",
    ],
)
def test_what_may_be_built(tmp_path: Path, folder: str) -> None:
    assert found(tmp_path, f"{folder}/a.cu") == ["HP-ATOM-001 atomicAdd"]
