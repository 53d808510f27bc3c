"""CMake files that nobody wrote for hipport, with its functions called behind them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cmake.hip_project import Project, done, steps
from tests.support.command import make_tree
from tests.support.debian_rocm import make_root
from tests.support.fetch import fetch_source
from tests.support.real_trees import trees, unpack, whole

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


SUNDIALS = (
    "sundials",
    "sundials_7.1.1+dfsg1.orig.tar.xz",
    "8ed409272af77e958d0ac02fd72199d8643063faf2aa61811e5c615d7db5cf8e",
)
# Its own top file looks for nvcc as soon as it is asked for CUDA, so it is not asked.
SOLVERS = """\
cmake_minimum_required(VERSION 3.21)
project(solvers LANGUAGES C CXX HIP)
foreach(part ARKODE CVODE CVODES IDA IDAS KINSOL SHARED_LIBS)
  set(BUILD_${part} OFF)
endforeach()
set(EXAMPLES_ENABLE_C OFF)
add_subdirectory(sundials)
add_subdirectory(sundials/src/sunmemory/cuda)
add_subdirectory(sundials/src/nvector/cuda)
find_package(hipport REQUIRED)
foreach(part sunmemcuda_obj nveccuda_obj nveccuda)
  hipport_target(TARGET sundials_${part}_static)
endforeach()
"""
VECTORS = "sundials_nveccuda_static"


def solvers(tmp_path: Path) -> Project:
    unpack(fetch_source(*SUNDIALS), tmp_path / "sundials", ("",))
    project = Project(
        tmp_path / "solvers",
        make_root(tmp_path / "rocm"),
        tmp_path / "sundials",
        place="sundials",
    )
    make_tree(project.folder, {"CMakeLists.txt": SOLVERS})
    return project


def test_sundials(tmp_path: Path) -> None:
    """Object libraries in several configurations, joined with others to one that is installed."""
    project = solvers(tmp_path)
    done(project.configure(generator="Ninja Multi-Config"))
    debug = ("--config", "Debug", "--target", VECTORS)
    made = [each for each in steps(project.build(*debug)) if "Building HIP" in each]
    assert [each.rpartition("/")[2] for each in made] == [
        "nvector_cuda.cu.o",
        "sundials_cuda_memory.cu.o",
    ]
    assert steps(project.build(*debug)) == []
    script = "build/sundials/src/nvector/cuda/cmake_install.cmake"
    prefix = project.folder / "prefix"
    project.variables.pop("DESTDIR")
    options = ("-DCMAKE_INSTALL_CONFIG_NAME=Debug", f"-DCMAKE_INSTALL_PREFIX={prefix}")
    done(project.run(project.cmake, *options, "-P", script))
    (library,) = prefix.rglob("libsundials_nveccuda.a")
    assert b"gfx90a" in library.read_bytes()


def test_sundials_with_make_stops_at_a_finding_that_counts_as_an_error(tmp_path: Path) -> None:
    project = solvers(tmp_path)
    done(project.configure("-DHIPPORT_WERROR=ON", generator="Unix Makefiles"))
    built = project.build("--target", "sundials_nveccuda_obj_static_hipport")
    kernels = project.folder / "sundials/src/sundials/sundials_cuda_kernels.cuh"
    place = kernels.read_text().splitlines().index("#if __CUDA_ARCH__ < 600") + 1
    assert f"{kernels}:{place}:5: warning: `__CUDA_ARCH__` is not defined" in built.stdout
    assert built.returncode and "HIPPORT_WERROR" in built.stdout
    done(project.configure("-DHIPPORT_WERROR=OFF", generator="Unix Makefiles"))
    done(project.build("--target", "sundials_nveccuda_obj_static_hipport"))


# What Gloo's own top file says, but for the search for CUDA; FindCUDA is gone from new CMake.
COLLECTIVES = """\
cmake_minimum_required(VERSION 3.21)
project(collectives LANGUAGES C CXX HIP)
set(CMAKE_CXX_STANDARD 14)
foreach(part MAJOR MINOR PATCH)
  set(GLOO_VERSION_${part} 0)
endforeach()
set(USE_CUDA ON)
set(GLOO_STATIC_OR_SHARED STATIC)
include_directories(${CMAKE_SOURCE_DIR}/gloo ${CMAKE_BINARY_DIR}/gloo)
function(cuda_add_library name)
  list(REMOVE_ITEM ARGN STATIC)
  add_library(${name} STATIC ${ARGN})
endfunction()
add_subdirectory(gloo/gloo)
# As the findings say: it asks for the version of CUDA before it uses __half_raw.
target_compile_definitions(gloo_cuda PRIVATE CUDA_VERSION=9000)
find_package(hipport REQUIRED)
hipport_target(TARGET gloo_cuda)
"""


def test_gloo(tmp_path: Path) -> None:
    """Sources with absolute paths, of which some are C++, and a header that CMake writes."""
    project = Project(
        tmp_path / "collectives",
        make_root(tmp_path / "rocm"),
        whole(trees()["horovod"]) / "third_party/gloo",
        place="gloo",
    )
    make_tree(project.folder, {"CMakeLists.txt": COLLECTIVES})
    done(project.configure())
    converted = f"gloo/gloo/CMakeFiles/gloo_cuda.dir/__/__/hipport/gloo_cuda/src{project.folder}"
    sources = ("cuda.cu", "cuda_private.cu", "cuda_allreduce_local.cc")
    objects = [f"{converted}/gloo/gloo/{each}.o" for each in sources]
    assert len(steps(project.build("--target", *objects))) == 1 + len(sources)
    assert steps(project.build("--target", *objects)) == []
