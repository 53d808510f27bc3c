"""A copy of one of NVIDIA's libraries in a tree is copied byte for byte, with one finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import hipport, make_tree, read_tree

CUDA = "#include <cuda_runtime.h>\nint f(void **p) { return cudaMalloc(p, 4); }\n"
HIP = "#include <hip/hip_runtime.h>\nint f(void **p) { return hipMalloc(p, 4); }\n"
COPY = {
    "third_party/cub-1.8.0/cub/cub.cuh": CUDA,
    "third_party/cub-1.8.0/cub/util_arch.cuh": CUDA,
    "third_party/cub-1.8.0/test/test.cu": CUDA,
    "third_party/cub-1.8.0/test/Makefile": "all:\n\tnvcc -arch=sm_35 test.cu\n",
}


def converted(folder: Path, *arguments: str) -> dict[str, Any]:
    _, out, _ = hipport("convert", *arguments, "--report", "-", "--format", "json", cwd=folder)
    report: dict[str, Any] = json.loads(out)
    return report


def message(report: dict[str, Any]) -> str:
    """That of the one finding about a copy, with its place."""
    (found,) = [each for each in report["findings"] if each["code"] == "HP-VENDOR-001"]
    return f"{found['path']}: {found['message']}"


def test_a_copy_is_left_alone(tmp_path: Path) -> None:
    make_tree(tmp_path / "in", {**COPY, "src/a.cu": '#include "third_party/cub/cub.cuh"\n' + CUDA})
    report = converted(tmp_path, "in", "-o", "out", "--rename", ".cu=.hip")
    made = {name: text for name, text in read_tree(tmp_path / "out").items() if name[0] != "."}
    assert made == {**COPY, "src/a.hip": "#include <hipcub/hipcub.hpp>\n" + HIP}
    assert message(report) == (
        "third_party/cub-1.8.0/cub/cub.cuh: `third_party/cub-1.8.0` holds a copy of CUB: "
        "3 sources are left alone"
    )
    assert {each["path"] for each in report["findings"]} == {"third_party/cub-1.8.0/cub/cub.cuh"}
    statuses = {each["path"]: each["status"] for each in report["files"]}
    assert statuses == {**dict.fromkeys(COPY, "copied"), "src/a.cu": "converted"}


def test_a_library_that_supports_hip_is_left_alone(tmp_path: Path) -> None:
    guard = "#if defined(__CUDACC__)\n#define EIGEN_CUDACC 1\n#elif defined(__HIPCC__)\n#endif\n"
    copy = {"libs/eigen-3.4.0/Eigen/Core": guard, "libs/eigen-3.4.0/test/a.cu": CUDA}
    copy["libs/eigen-3.4.0/Eigen/src/Core/util/Macros.h"] = guard
    make_tree(tmp_path / "in", {**copy, "a.cu": CUDA})
    report = converted(tmp_path, "in", "-o", "out")
    made = {name: text for name, text in read_tree(tmp_path / "out").items() if name[0] != "."}
    assert made == {**copy, "a.cu": HIP}
    (found,) = report["findings"]
    assert (found["code"], found["severity"]) == ("HP-VENDOR-002", "info")
    assert found["message"] == (
        "`libs/eigen-3.4.0` holds a copy of Eigen, which supports HIP without conversion: "
        "2 sources are left alone"
    )


def test_what_is_beside_a_copy_is_converted(tmp_path: Path) -> None:
    files = dict.fromkeys(["include/cub/cub.cuh", "include/own.cuh", "include/cutlass/a.cuh"], CUDA)
    make_tree(tmp_path / "in", files)
    report = converted(tmp_path, "in", "-o", "out")
    made = {path: text for path, text in read_tree(tmp_path / "out").items() if path[0] != "."}
    assert made == {**dict.fromkeys(files, HIP), "include/cub/cub.cuh": CUDA}
    assert message(report) == (
        "include/cub/cub.cuh: `include/cub` holds a copy of CUB: 1 source is left alone"
    )


@pytest.mark.parametrize("folder", ["in/third_party/cub-1.8.0", "in/third_party/cub-1.8.0/cub"])
def test_a_copy_is_converted_on_its_own(tmp_path: Path, folder: str) -> None:
    make_tree(tmp_path / "in", COPY)
    report = converted(tmp_path, "--in-place", folder)
    assert "HP-VENDOR-001" not in {each["code"] for each in report["findings"]}
    assert read_tree(tmp_path / "in")["third_party/cub-1.8.0/cub/cub.cuh"] == HIP


def test_a_copy_that_is_excluded_has_no_finding(tmp_path: Path) -> None:
    make_tree(tmp_path / "in", COPY)
    report = converted(tmp_path, "in", "-o", "out", "--exclude", "third_party/")
    assert report["findings"] == []
    assert {each["status"] for each in report["files"]} == {"copied"}


def test_in_place(tmp_path: Path) -> None:
    make_tree(tmp_path / "in", {**COPY, "a.cu": CUDA})
    first = converted(tmp_path, "--in-place", "in")
    assert read_tree(tmp_path / "in") == {**COPY, "a.cu": HIP}
    again = converted(tmp_path, "--in-place", "in")
    assert read_tree(tmp_path / "in") == {**COPY, "a.cu": HIP}
    assert message(again) == message(first)


def test_what_an_earlier_run_converted_is_put_back(tmp_path: Path) -> None:
    make_tree(tmp_path / "in", COPY)
    (tmp_path / "in/third_party/cub-1.8.0/cub/cub.cuh").unlink()
    converted(tmp_path, "in", "-o", "out")
    assert read_tree(tmp_path / "out")["third_party/cub-1.8.0/cub/util_arch.cuh"] == HIP
    make_tree(tmp_path / "in", COPY)
    for _ in range(2):
        message(converted(tmp_path, "in", "-o", "out"))
        made = {path: text for path, text in read_tree(tmp_path / "out").items() if path[0] != "."}
        assert made == COPY
