"""Findings behind a macro of the tree's own that nothing sets are notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.noted import noted

CODE = """#include <cuda_runtime.h>
#define OURS_SIZE 4
#ifdef OURS_ON_DEVICE
__global__ void f() { cudaDeviceSynchronize(); }
#endif
"""
OTHERWISE = CODE.replace("#ifdef OURS_ON_DEVICE", "#ifndef OURS_ON_HOST\nint a;\n#else")
PACKAGE = {"setup.py": "from setuptools import setup\nsetup()\n"}


def found(folder: Path, files: dict[str, str]) -> list[str]:
    return noted(folder, files, ("HP-CDP", "HP-USE"))


@pytest.mark.parametrize(
    "code", [CODE, CODE.replace("#ifdef OURS_ON_DEVICE", "#if OURS_ON_DEVICE")]
)
def test_nothing_sets_it(tmp_path: Path, code: str) -> None:
    files = {"a.cu": code, "b.cu": "#undef OURS_ON_DEVICE\n#if defined(OURS_ON_DEVICE)\n#endif\n"}
    assert found(tmp_path, PACKAGE | files) == ["HP-USE-003 OURS_ON_DEVICE"]


def test_what_follows_where_it_is_not_set(tmp_path: Path) -> None:
    assert found(tmp_path, PACKAGE | {"a.cu": OTHERWISE}) == ["HP-USE-003 OURS_ON_HOST"]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"a.cu": CODE, "b.h": "#define OURS_ON_DEVICE\n"}, id="in another file"),
        pytest.param({"a.cu": CODE, "README.md": "Build with -DOURS_ON_DEVICE.\n"}, id="in a text"),
        pytest.param({"a.cu": f"// OURS_ON_DEVICE: slow\n{CODE}"}, id="in a comment"),
        pytest.param({"a.cu": CODE, "run.sh": 'nvcc "-DOURS_${what}"\n'}, id="put together"),
        pytest.param({"a.cu": CODE.replace("OURS_SIZE", "SIZE")}, id="no other begins alike"),
        pytest.param({"a.cu": CODE.replace("OURS_", "CUDA_")}, id="it may be a library's"),
        pytest.param({"a.cu": CODE.replace("#ifdef", "#ifndef")}, id="it is asked not to be set"),
        pytest.param({"a.cu": CODE, "setup.py": ""}, id="it may be set above the tree"),
    ],
)
def test_it_may_be_set(tmp_path: Path, files: dict[str, str]) -> None:
    package = {} if "setup.py" in files else PACKAGE
    files.pop("setup.py", None)
    assert "HP-CDP-002 cudaDeviceSynchronize" in found(tmp_path, package | files)


HEADER = """#ifndef OURS_HEADER_H
#define OURS_HEADER_H
#if !defined(OURS_USE_HIP) && __CUDA_ARCH__ >= 800
#    define OURS_ON_DEVICE // For newer ones.
#endif
#endif
"""
BESIDE = HEADER.replace("!defined(OURS_USE_HIP) &&", "defined(OURS_USE_HIP) ||")


@pytest.mark.parametrize("name", ["OURS_ON_DEVICE", "CUDA_ON_DEVICE"])
def test_only_what_hip_leaves_out_sets_it(tmp_path: Path, name: str) -> None:
    files = {"a.cu": f'#include "common.h"\n{CODE}', "common.h": HEADER}
    named = {path: text.replace("OURS_ON_DEVICE", name) for path, text in files.items()}
    assert found(tmp_path, PACKAGE | named) == [f"HP-USE-340 {name}"]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"common.h": BESIDE}, id="hip sets it too"),
        pytest.param({"common.h": HEADER, "amd.h": "#define OURS_ON_DEVICE\n"}, id="somewhere"),
        pytest.param({"common.h": HEADER, "Makefile": "D = -DOURS_ON_DEVICE\n"}, id="by a build"),
        pytest.param({"common.h": HEADER + "int at = OURS_ON_DEVICE;\n"}, id="it is used"),
    ],
)
def test_hip_may_have_it(tmp_path: Path, files: dict[str, str]) -> None:
    asked = found(tmp_path, PACKAGE | {"a.cu": CODE} | files)
    assert "HP-CDP-002 cudaDeviceSynchronize" in asked
