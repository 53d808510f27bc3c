"""CUDA programs, unchanged, compiled by Debian's hipcc through the header of `hipport compat`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.source.test_toolchain import compile_command, environment
from tests.support.command import hipport, make_tree
from tests.support.cuda_programs import FOLDER, Program, programs, table
from tests.support.folders import CHECKOUT
from tests.support.precompiled import Precompiled

HEADER = "cuda_to_hip.h"
# They test macros of CUDA's compiler and headers, which no header can change; theirs say so.
TOLD = {
    "device_lambdas": "HP-GUARD-002 `__CUDACC__` is not defined under HIP:"
    " test `__HIPCC__` as well",
    "guarded_helpers": "HP-GUARD-007 `__CUDA_RUNTIME_H__` is not defined under HIP: test"
    " `HIP_INCLUDE_HIP_HIP_RUNTIME_H` as well",
    "vector_operators": "HP-TYPE-006 `operator+=` is defined here for a vector type that has its"
    " own in HIP: calls become ambiguous",
}
COMPILING = [each for each in programs().values() if each.compiles and each.name not in TOLD]
toolchain = [pytest.mark.toolchain, pytest.mark.slow]
USES = """#include <cuda_runtime.h>
template <int A, int B> __global__ void k(int *p, unsigned narrow)
{
    p[0] = __shfl_sync(0xffffffff, 1, 0) + __shfl_sync(narrow, 2, A) + __shfl_sync(~0ull, 2, B);
    __syncwarp();
    __syncwarp(0x3);
}
int main()
{
    void *arguments[1];
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaEventCreate(&event, cudaEventDisableTiming);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, k<1, 2>);
    cudaFuncSetAttribute(k<1, 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
    return cudaLaunchKernel(k<1, 2>, dim3(1), dim3(1), arguments, 0, 0) != cudaSuccess;
}
"""


def compat(paths: list[Path], header: Path, *options: str) -> int:
    given = [*paths, "-o", header, "--stand-ins", "--rocm", table()["rocm"], *options]
    done = hipport("compat", *given, cwd=CHECKOUT)
    assert done.err == ""
    return done.code


@pytest.mark.parametrize("program", COMPILING, ids=lambda program: program.name)
class TestUnchanged:
    pytestmark = toolchain

    def test_it_compiles_as_hip(
        self, program: Program, tmp_path: Path, precompiled: Precompiled
    ) -> None:
        compat([FOLDER / program.name], tmp_path / HEADER)
        for source in program.sources(FOLDER):
            command = compile_command(program, FOLDER, source, tmp_path / "out.o", precompiled)
            through = ["-include", str(tmp_path / HEADER), f"-I{tmp_path / 'cuda_to_hip'}"]
            assert said(*command, *through) == ""


def test_enough_programs_are_compiled() -> None:
    assert len(COMPILING) >= 35


@pytest.mark.parametrize(("name", "line"), TOLD.items())
def test_what_no_header_can_change_is_told(name: str, line: str, tmp_path: Path) -> None:
    assert compat([FOLDER / name], tmp_path / HEADER) == 1
    assert f": {line}\n" in (tmp_path / HEADER).read_text("utf-8")


@pytest.mark.toolchain
def test_masks_kernels_and_argument_counts(tmp_path: Path) -> None:
    make_tree(tmp_path, {"uses.cu": USES})
    header = tmp_path / HEADER
    done = hipport("compat", "uses.cu", "-o", HEADER, "--stand-ins", "--rocm", "7.1", cwd=tmp_path)
    assert done.code == 0
    given = ["-w", "--offload-arch=gfx90a", "-std=c++17", "-c", "-include", header, "-Icuda_to_hip"]
    assert said("hipcc", *map(str, given), "uses.cu", "-o", "uses.o", folder=tmp_path) == ""


@pytest.mark.nvcc
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not on this machine")
@pytest.mark.parametrize("name", ["symbols", "occupancy", "c_host"])
def test_the_same_sources_compile_as_cuda(name: str, tmp_path: Path) -> None:
    compat([FOLDER / name], tmp_path / HEADER)
    through = ["-include", str(tmp_path / HEADER), f"-I{tmp_path / 'cuda_to_hip'}"]
    for source in programs()[name].sources(FOLDER):
        options = [] if source.suffix == ".c" else ["-std=c++17"]
        command = ["nvcc", "-c", *options, *through, str(source), "-o", str(tmp_path / "out.o")]
        assert said(*command) == ""


def said(*command: str, folder: Path = CHECKOUT) -> str:
    """What a compiler says against its input; a missing one fails the test."""
    assert shutil.which(command[0]), f"{command[0]} is missing: .ci/run lists the packages"
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environment(), check=False
    )
    return done.stderr if done.returncode else ""
