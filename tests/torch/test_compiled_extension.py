"""A converted extension compiles with PyTorch's headers, as a build of PyTorch for ROCm makes them.

The index has no PyTorch for ROCm. Its headers are those of the wheel for CPUs after PyTorch's own
hipify, which such a build runs. Those of ATen include hipBLAS and rocThrust, which Debian lacks:
the extension here uses the device, its streams and its errors, which are in c10.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.support.command import make_tree
from tests.support.debian_rocm import COMPILER
from tests.support.folders import CHECKOUT
from tests.torch.installed import torch_folder

pytestmark = [pytest.mark.real, pytest.mark.toolchain, pytest.mark.slow]

SOURCE = """\
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
void copy(torch::Tensor to, torch::Tensor from) {
  c10::cuda::CUDAGuard guard(to.device());
  cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  C10_CUDA_CHECK(cudaMemcpyAsync(to.data_ptr(), from.data_ptr(), from.nbytes(),
                                 cudaMemcpyDeviceToDevice, stream));
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("copy", &copy); }
"""
# PyTorch's build writes this header with CMake; hipify gives it the name that is included.
MACROS = "#pragma once\n#define C10_HIP_BUILD_SHARED_LIBS\n"
HIPIFY = """\
import sys
from torch.utils.hipify import hipify_python
hipify_python.hipify(project_directory=sys.argv[1], output_directory=sys.argv[1], includes=["*"])
"""


def test_a_host_source(tmp_path: Path) -> None:
    torch = torch_folder()
    include = torch / "torch/include"
    path = f"{torch}{os.pathsep}{CHECKOUT}"

    def run(*command: str | Path) -> None:
        variables = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=590
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]

    make_tree(tmp_path, {"source/copy.cpp": SOURCE, "hipify.py": HIPIFY})
    shutil.copytree(include / "c10/cuda", tmp_path / "headers/c10/cuda")
    run(sys.executable, "hipify.py", tmp_path / "headers")
    make_tree(tmp_path, {"headers/c10/hip/impl/hip_cmake_macros.h": MACROS})
    run(sys.executable, "-m", "hipport", "convert", "--torch", "-q", "source", "-o", "made")
    folders = ("headers", include, include / "torch/csrc/api/include")
    run(
        *(COMPILER, "-x", "c++", "-std=c++20", "-w", "-c", "made/copy.cpp", "-o", "copy.o"),
        *("-D__HIP_PLATFORM_AMD__", "-DUSE_ROCM", "-DTORCH_EXTENSION_NAME=copy_C"),
        *(f"-I{folder}" for folder in (*folders, sysconfig.get_path("include"))),
    )
    assert b"hipMemcpyAsync" in (tmp_path / "copy.o").read_bytes()
