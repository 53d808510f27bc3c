"""However many projects are converted, by however many processes, a rule file is read once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.command import make_tree

MAKEFILE = """\
HOME_OF_{0} ?= /usr/local/cuda
all: a.cu
\t$(HOME_OF_{0})/bin/nvcc -arch=sm_80 -I$(HOME_OF_{0})/include -o a a.cu -lcudart
"""
CMAKE = "project({0} LANGUAGES CXX CUDA)\nadd_executable(a{0} a.cu)\n"
SETUP = """\
from torch.utils.cpp_extension import CUDAExtension
CUDAExtension('a{0}', ['a.cu'], extra_compile_args={{'nvcc': ['-O3', '--use_fast_math']}})
"""
SOURCE = """\
#include <cuda_runtime.h>
__global__ void k(int *x) {{ x[threadIdx.x] = __shfl_down_sync(~0u, x[0], {0}) + warpSize; }}
int main() {{ k<<<1, 32>>>(0); return cudaDeviceSynchronize(); }}
"""
# Reads are written to a file, which children append to as well.
PROGRAM = """
import os, sys
log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def note(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and "/rules/" in arguments[0]:
        os.write(log, f"{arguments[0]}\\n".encode())

sys.addaudithook(note)
sys.argv = ["hipport", *sys.argv[2:]]
from hipport.__main__ import main
main()
"""


def projects(folder: Path, count: int) -> None:
    files = {"Makefile": MAKEFILE, "CMakeLists.txt": CMAKE, "setup.py": SETUP, "a.cu": SOURCE}
    for number in range(count):
        make_tree(
            folder / f"p{number}", {name: text.format(number) for name, text in files.items()}
        )


def reads(folder: Path, count: int, command: tuple[str, ...], jobs: int) -> Counter[str]:
    """How often each rule file is read for so many projects."""
    projects(folder / "in", count)
    log = folder / "log"
    arguments = [*command, "--isolated", "--jobs", str(jobs), "in"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, log, *arguments], cwd=folder, capture_output=True
    )
    assert done.returncode in (0, 1), done.stderr
    return Counter(log.read_text().splitlines())


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("command", ["convert -q", "audit report"])
def test_a_rule_file_is_read_once(tmp_path: Path, command: str, jobs: int) -> None:
    found = reads(tmp_path, 8, tuple(command.split()), jobs)
    # A conversion also has a digest of all rules in its manifest.
    most = 2 if command == "convert -q" else 1
    assert {path: count for path, count in found.items() if count > most} == {}
