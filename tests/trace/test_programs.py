"""Programs of fixtures/cuda, converted and compiled for three GPUs, traced."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.binaries import output_of, tool
from tests.support.command import hipport
from tests.support.cuda_programs import FOLDER
from tests.support.tracing import TARGETS, Judged

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

STUBS = Path(__file__).with_name("device_library.h")
CONSTANT = "-D__AMDGCN_WAVEFRONT_SIZE=64"  # which this release's headers want, and clang 22 lacks
PROGRAMS = {
    # program: launches that are certain, likely and none, and those that libclang does not know
    "launch_forms": ((14, 0, 0), 0),
    "launch_macros": ((9, 0, 0), 1),
    "launch_function_pointers": ((3, 0, 5), 6),
    "launch_templates": ((0, 6, 0), 6),
    "device_lambdas": ((1, 2, 0), 1),
    "guarded_helpers": ((1, 0, 0), 0),
    "symbols": ((1, 0, 0), 0),
}


def resources(compiler: str) -> str:
    return subprocess.run(
        [tool(compiler), "-print-resource-dir"], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_is_matched_as_libclang_says(program: str, tmp_path: Path) -> None:
    folder = tmp_path / program
    made = ["convert", "--isolated", FOLDER / program, "-o", folder, "--launch", "keep"]
    hipport(*made, "--fail-on", "never", cwd=tmp_path)
    (source,) = folder.glob("*.cu")
    options = ["--rocm-path=/usr", CONSTANT, "-isystem"]
    output_of(
        *(tool("clang++-22"), "-x", "hip", "-nogpulib", "-O2", "-fPIC", "-shared", "-w"),
        *("-std=gnu++17", *options, resources("clang++-22"), "-include", STUBS),
        *(f"--offload-arch={target}" for target in TARGETS),
        *(source, "-o", folder / "lib.so"),
    )
    clang = resources("clang++-19")
    truth = (*options, clang, "-resource-dir", clang)
    judged = Judged(folder, source.name, folder / "lib.so", *truth)
    counts = [each["certainty"] for each in judged.launches]
    found = tuple(counts.count(word) for word in ("certain", "likely", "none"))
    assert judged.wrong == []
    assert (found, len(judged.unknown)) == PROGRAMS[program]
