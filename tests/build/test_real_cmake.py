"""CMake files that nobody wrote for hipport, with its functions called behind them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.build.hip_project import Project, done, steps
from tests.support.command import make_tree
from tests.support.debian_rocm import make_root
from tests.support.real_trees import trees, whole

pytestmark = [pytest.mark.toolchain, pytest.mark.real]

# What Horovod's own top file says before this folder, without MPI and TensorFlow.
HOROVOD = """\
cmake_minimum_required(VERSION 3.21)
project(horovod LANGUAGES CXX HIP)
set(CMAKE_CXX_STANDARD 14)
set(PY_EXE ${CMAKE_SOURCE_DIR}/flags)
add_subdirectory(horovod/common/ops/cuda)
find_package(hipport REQUIRED)
hipport_target(TARGET horovod_cuda_kernels)
hipport_target(TARGET compatible_horovod_cuda_kernels)
"""
# What get_nvcc_flags makes of a CUDA that knows two GPUs.
FLAGS = """\
#!/bin/sh
echo '-O3 -Xcompiler -fPIC -gencode arch=compute_70,code=sm_70' \\
  '-gencode arch=compute_80,code=\\"sm_80,compute_80\\"'
"""


def test_horovod(tmp_path: Path) -> None:
    """Two targets of one source, flags that a script prints, and a list of them after SHELL:."""
    project = Project(
        tmp_path / "horovod",
        make_root(tmp_path / "rocm"),
        whole(trees()["horovod"]) / "horovod/common",
        place="horovod/common",
    )
    make_tree(project.folder, {"CMakeLists.txt": HOROVOD, "flags": FLAGS})
    (project.folder / "flags").chmod(0o755)
    said = done(project.configure())
    assert "HP-BUILD-003" not in said, "a flag of nvcc's has no counterpart"
    assert len(steps(project.build())) == 6
    library = project.folder / "build/horovod/common/ops/cuda/libhorovod_cuda_kernels.a"
    assert b"gfx90a" in library.read_bytes()
    assert steps(project.build()) == []
