"""A copy of a library of NVIDIA's is one finding, with what to use instead."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import hipport, make_tree
from tests.support.folders import FIXTURES

KERNEL = '__global__ void k() { asm("mov.u32 %0, %laneid;"); }\n'
CUTLASS = {
    "include/cutlass/cutlass.h": "#pragma once\n",
    "include/cutlass/gemm.cuh": KERNEL,
    "tools/cub/cub.cuh": KERNEL,
    "README": "",
}


def audited(folder: Path, path: str = ".") -> dict[str, Any]:
    _, out, _ = hipport("audit", path, "--format", "json", "--fail-on", "never", cwd=folder)
    report: dict[str, Any] = json.loads(out)
    return report


def test_one_finding_a_folder(tmp_path: Path) -> None:
    copy = {f"third_party/cutlass/{name}": text for name, text in CUTLASS.items()}
    make_tree(tmp_path, {**copy, "src/own.cu": KERNEL})
    report = audited(tmp_path)
    found = [(each["path"], each["code"]) for each in report["findings"]]
    marker = "third_party/cutlass/include/cutlass/cutlass.h"
    assert sorted(found)[-1] == (marker, "HP-VENDOR-001")
    assert {path for path, _ in found} == {"src/own.cu", marker}
    message = report["findings"][-1]["message"]
    assert message == "`third_party/cutlass` holds a copy of CUTLASS: 3 sources are left alone"
    reasons = {each["path"]: each.get("reason") for each in report["files"]}
    assert reasons["third_party/cutlass/tools/cub/cub.cuh"] == (
        "in a copy of CUTLASS: third_party/cutlass/"
    )


def test_the_message_names_the_folder_within_the_tree(tmp_path: Path) -> None:
    make_tree(tmp_path / "trees/ours", {f"cutlass/{name}": text for name, text in CUTLASS.items()})
    (found,) = audited(tmp_path, "trees/ours")["findings"]
    assert found["message"].startswith("`cutlass` holds a copy of CUTLASS")
    assert "`hipport audit trees/ours/cutlass`" in found["suggestion"]


def test_the_library_itself_is_audited(tmp_path: Path) -> None:
    make_tree(tmp_path / "cutlass", CUTLASS)
    paths = {each["path"] for each in audited(tmp_path, "cutlass")["findings"]}
    assert "cutlass/include/cutlass/gemm.cuh" in paths


def test_a_header_of_that_name_alone_is_no_copy(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/compat/cuda_runtime_api.h": "int x;\n", "src/jitify.hpp": "int x;\n"})
    codes = {each["code"] for each in audited(tmp_path)["findings"]}
    assert "HP-VENDOR-001" not in codes


def test_what_cmake_and_nvcc_wrote_is_left_alone(tmp_path: Path) -> None:
    written = {
        "build/CMakeFiles/cmake.check_cache": "",
        "build/CMakeFiles/CMakeDirectoryInformation.cmake": "",
        "build/CMakeFiles/3.20.3/CompilerIdCUDA/CMakeCUDACompilerId.cu": KERNEL,
        "build/CMakeFiles/3.20.3/CMakeCUDACompiler.cmake": "set(CMAKE_CUDA_COMPILER nvcc)\n",
        "build/CMakeFiles/ours.dir/flags.make": "CUDA_FLAGS = -arch=sm_70\n",
        "kept/own.cudafe1.cpp": KERNEL,
        "kept/own.cudafe1.stub.c": KERNEL,
        "kept/own.fatbin.c": '#include "fatBinaryCtl.h"\n',
    }
    make_tree(tmp_path, {**written, "src/own.cu": KERNEL})
    report = audited(tmp_path)
    found = [(each["path"], each["code"]) for each in report["findings"]]
    (folder,) = [path for path, code in found if code == "HP-VENDOR-003"]
    assert {path for path, _ in found} == {"src/own.cu", folder}
    messages = {each["code"]: each["message"] for each in report["findings"]}
    assert messages["HP-VENDOR-003"].startswith("`build/CMakeFiles` is what CMake wrote")


@pytest.mark.parametrize("marker", ["ALL_BUILD.vcxproj", "CMakeCache.txt"])
def test_a_build_folder_of_cmake_is_left_alone(marker: str, tmp_path: Path) -> None:
    project = "<AdditionalDependencies>cudart.lib</AdditionalDependencies>\n"
    written = {"cmake_install.cmake": "", marker: project, "ours.vcxproj": project}
    own = {"src/own.cu": KERNEL, "vs/own.vcxproj": project}
    make_tree(tmp_path, {**{f"build-win/{name}": text for name, text in written.items()}, **own})
    found = [(each["path"], each["code"]) for each in audited(tmp_path)["findings"]]
    (folder,) = [path for path, code in found if code == "HP-VENDOR-003"]
    assert {path for path, _ in found} == {*own, folder}


def test_a_binary_in_a_build_folder_is_looked_at(tmp_path: Path) -> None:
    written = {"cmake_install.cmake": "", "CMakeCache.txt": "", "Makefile": "NVCC = nvcc\n"}
    make_tree(tmp_path, {f"build/{name}": text for name, text in written.items()})
    shutil.copy(FIXTURES / "prebuilt/libscale.so", tmp_path / "build")
    found = {(each["path"], each["code"]) for each in audited(tmp_path)["findings"]}
    assert found == {
        ("build/cmake_install.cmake", "HP-VENDOR-003"),
        ("build/libscale.so", "HP-BIN-001"),
    }


def test_sources_beside_what_cmake_wrote_are_audited(tmp_path: Path) -> None:
    written = {"waves/cmake_install.cmake": "", "waves/CMakeCache.txt": ""}
    make_tree(tmp_path, {**written, "waves/own.cu": KERNEL})
    codes = {each["code"] for each in audited(tmp_path)["findings"]}
    assert codes and "HP-VENDOR-003" not in codes


def test_headers_of_video_engines_ask_nothing_of_their_own(tmp_path: Path) -> None:
    header = (
        "#ifndef __cuda_cuda_h__\n#include <cuda.h>\n#endif\n#if CUDA_FORCE_API_VERSION == 3010\n"
        "int old;\n#endif\n#if CUDA_VERSION >= 3020\nint wide;\n#endif\ntypedef int CUdevice;\n"
    )
    names = ("video", "cuviddec", "dynlink_cuda")
    make_tree(tmp_path, {f"third/{name}.h": header for name in names})
    found = {(each["path"], each["code"]) for each in audited(tmp_path)["findings"]}
    codes = ("HP-API-002", "HP-API-008", "HP-GUARD-003", "HP-GUARD-007")
    assert found >= {("third/video.h", code) for code in codes}
    assert {path for path, code in found if code in codes} == {"third/video.h"}


def test_tools_that_a_build_fetched_are_left_alone(tmp_path: Path) -> None:
    cmake = ".eggs/cmake-3.27.7-py3.10-linux-x86_64.egg/cmake/data/share/cmake-3.27/Modules"
    written = {
        f"{cmake}/CMakeDetermineCUDACompiler.cmake": "find_program(CMAKE_CUDA_COMPILER nvcc)\n",
        f"{cmake}/FindCUDA.cmake": "find_package(CUDAToolkit)\n",
        f"{cmake}/FindCUDA/run_nvcc.cmake": "set(CUDA_NVCC_EXECUTABLE nvcc)\n",
        ".eggs/waves-1.egg/EGG-INFO/PKG-INFO": "Name: waves\n",
        ".eggs/waves-1.egg/waves/own.cu": KERNEL,
    }
    own = {"src/own.cu": KERNEL, "cmake/FindCUDA.cmake": "find_package(CUDAToolkit)\n"}
    make_tree(tmp_path, {**written, **own})
    found = {(each["path"], each["code"]) for each in audited(tmp_path)["findings"]}
    copies = {path for path, code in found if code == "HP-VENDOR-388"}
    assert copies == {
        f"{cmake}/CMakeDetermineCUDACompiler.cmake",
        ".eggs/waves-1.egg/EGG-INFO/PKG-INFO",
    }
    assert {path for path, _ in found} == {*copies, *own}


def test_placeholders_are_no_copy(tmp_path: Path) -> None:
    text = "// A placeholder for cutlass.h: builds are pointed at a real one.\n#pragma once\n"
    file = "ours/cutlass/include/cutlass/cutlass.h"
    make_tree(tmp_path / "placeholder", {file: text})
    assert audited(tmp_path / "placeholder")["findings"] == []
    make_tree(tmp_path / "copy", {file: text.replace("placeholder", "header")})
    codes = [each["code"] for each in audited(tmp_path / "copy")["findings"]]
    assert codes == ["HP-VENDOR-001"]
