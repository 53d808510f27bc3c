"""Findings that another one of the same file answers are notes, which reports leave out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hipport.model import Finding
from hipport.rulebook.load import load
from hipport.source.audit.decisions import without_notes
from hipport.spool import Spool
from tests.support.auditing import audited
from tests.support.command import hipport, make_tree

MODULE = """set(WAVES_HINTS $ENV{NCCL_ROOT_DIR} ${CUDA_TOOLKIT_ROOT_DIR})
find_path(NCCL_INCLUDE_DIRS NAMES nccl.h HINTS ${WAVES_HINTS})
"""


def reported(folder: Path, files: dict[str, str]) -> set[str]:
    """The codes that a report of a folder has."""
    make_tree(folder, files)
    found: Spool[Finding] = Spool()
    found.extend(audited(folder))
    return {each.code for each in without_notes(found, load(is_audit=True).findings)}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Whether a module that looks for a library is needed decides about all of it.
        ("cmake/FindNCCL.cmake", {"HP-CMAKE-012"}),
        ("CMakeLists.txt", {"HP-CMAKE-012", "HP-CMAKE-003"}),
    ],
)
def test_a_module_that_finds_a_library(tmp_path: Path, name: str, expected: set[str]) -> None:
    assert reported(tmp_path, {name: MODULE}) == expected


SELECT = """function(CUDA_SELECT_NVCC_ARCH_FLAGS out_variable)
  set(CUDA_ARCH_LIST "${ARGN}")
  if(CUDA_VERSION VERSION_GREATER "8.0")
    list(APPEND CUDA_ARCH_LIST 6.0)
  endif()
endfunction()
"""


def test_a_copy_of_a_module_of_cmakes(tmp_path: Path) -> None:
    assert reported(tmp_path, {"cmake/select_compute_arch.cmake": SELECT}) == {"HP-CMAKE-310"}
    other = SELECT.replace("CUDA_SELECT_NVCC_ARCH_FLAGS", "waves_select_flags")
    assert "HP-CMAKE-005" in reported(tmp_path / "other", {"cmake/select.cmake": other})


def test_a_module_that_looks_for_nothing_of_cudas(tmp_path: Path) -> None:
    files = {"cmake/FindWaves.cmake": "set(WAVES_HINTS ${CUDA_TOOLKIT_ROOT_DIR})\n"}
    assert reported(tmp_path, files) == {"HP-CMAKE-003"}


KERNEL = '''import cupy
code = r"""
extern "C" __global__
void added(const int* ids, const double* x, double* sums, double* squares, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&sums[ids[i]], x[i]);
    atomicAdd(&squares[ids[i]], (double)(x[i] * x[i]));
  }
}
"""
kernel = cupy.RawKernel(code, "added")
'''


def test_additions_in_the_text_of_a_kernel(tmp_path: Path) -> None:
    found = reported(tmp_path, {"added.py": KERNEL})
    assert "HP-ATOM-001" in found and "HP-ATOM-012" not in found
    template = KERNEL.replace("double", "{real}").replace("(double)", "")
    alone = reported(tmp_path / "other", {"added.py": template})
    assert "HP-ATOM-012" in alone and "HP-ATOM-001" not in alone


INSTALL = """\
CUDA_REPO_PKG=cuda-repo-ubuntu1404_7.5-18_amd64.deb
wget http://developer.download.nvidia.com/compute/cuda/repos/ubuntu1404/x86_64/$CUDA_REPO_PKG
apt-get install -y --no-install-recommends cuda-core-7-5 cuda-cudart-dev-7-5
ln -s /usr/local/cuda-7.5 /usr/local/cuda
"""


def test_a_script_that_installs_cuda_is_one_decision(tmp_path: Path) -> None:
    assert reported(tmp_path / "a", {"ci/install_cuda.sh": INSTALL}) == {"HP-DOCK-003"}
    assert reported(tmp_path / "b", {"ci/nvidia-setup.sh": INSTALL}) == {"HP-DOCK-003"}
    assert "HP-MAKE-011" in reported(tmp_path / "c", {"ci/build.sh": INSTALL})


def test_a_requirement_of_the_project_itself(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "waves-cuda-cpp"\n',
        "examples/one/pyproject.toml": '[build-system]\nrequires = ["waves-cuda-cpp", "wheel"]\n',
    }
    assert reported(tmp_path / "a", files) == set()
    other = {**files, "pyproject.toml": '[project]\nname = "waves"\n'}
    assert reported(tmp_path / "b", other) == {"HP-NET-004"}


def test_the_first_place_of_a_decision_is_the_trees_own(tmp_path: Path) -> None:
    text = "set(CMAKE_CUDA_ARCHITECTURES 80)\n"
    names = ["external/waves/CMakeLists.txt", "src/CMakeLists.txt", "vendor/CMakeLists.txt"]
    make_tree(tmp_path, dict.fromkeys(names, text))
    done = hipport("audit", "report", "--format", "json", ".", cwd=tmp_path)
    (found,) = json.loads(done.out)["findings"]
    assert [found["path"], *(each["path"] for each in found["places"])] == [
        "src/CMakeLists.txt",
        "external/waves/CMakeLists.txt",
        "vendor/CMakeLists.txt",
    ]
