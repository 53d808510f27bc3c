"""Waves per SIMD against what LLVM's back end computes for the same registers and LDS."""

from __future__ import annotations

import re
import subprocess

import pytest

from hipport.fatbin.byte_source import FileSource
from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.object.occupancy import Needs, occupancy, occupancy_of
from hipport.fatbin.processors import families, processors
from tests.support.binaries import BINARY, tool

DROPPED = ("gfx940", "gfx941")  # unknown to LLVM 22
REGISTERS = (1, 24, 25, 40, 41, 64, 65, 96, 97, 128, 129, 168, 169, 200, 256)
LDS = (2048, 4096, 8192, 10240, 16384, 20480, 24576, 32768)


@pytest.mark.parametrize(
    ("processor", "needs", "waves", "limit"),
    [
        ("gfx90a", Needs(128, 16, 0, 64, 256), 4, "vgpr"),
        ("gfx90a", Needs(8, 112, 0, 64, 256), 7, "sgpr"),
        ("gfx90a", Needs(8, 16, 33000, 64, 256), 1, "lds"),
        ("gfx90a", Needs(8, 16, 0, 64, 64), 8, "slots"),
        ("gfx900", Needs(8, 16, 0, 64, 128), 8, "group"),
        ("gfx1100", Needs(256, 16, 0, 32, 256), 5, "vgpr"),
        ("gfx1030", Needs(8, 16, 16640, 32, 256), 14, "lds"),
        ("gfx1030", Needs(8, 16, 16640, 32, 256, one_unit=True), 12, "lds"),
        ("gfx600", Needs(8, 16, 49152, 64, 256), 0, "lds"),
    ],
)
def test_waves_and_what_limits_them(processor: str, needs: Needs, waves: int, limit: str) -> None:
    found = occupancy(processor, needs)
    assert found is not None
    assert (found.waves, found.limit) == (waves, limit)


def test_what_is_not_in_the_table_is_not_guessed() -> None:
    assert occupancy("gfx9999", Needs(8, 16, 0, 64, 64)) is None
    assert occupancy("gfx90a", Needs(8, 16, 0, 32, 64)) is None


def test_registers_come_from_the_descriptor() -> None:
    code_object = CodeObject(FileSource(str(BINARY / "code-objects/v6-gfx1201.co")))
    (kernel, *_) = code_object.kernels()
    found = occupancy_of(kernel, "gfx1201", 256)
    assert found is not None
    assert found.limits == {"slots": 16, "vgpr": 16, "group": 16}


def _compile(processor: str, wave: int, bodies: dict[int, str], size: int) -> dict[int, int]:
    """What llc 22 prints as the occupancy of each kernel k<number>."""
    lines = ['target triple = "amdgcn-amd-amdhsa"']
    for number, body in bodies.items():
        if body.startswith("@"):
            lines.append(f"{body} = internal addrspace(3) global [{number} x i8] poison")
            body = f"store volatile i8 1, ptr addrspace(3) {body}"
        lines.append(f"define amdgpu_kernel void @k{number}() #0 {{\n  {body}\n  ret void\n}}")
    lines.append(f'attributes #0 = {{ "amdgpu-flat-work-group-size"="{size},{size}" }}')
    done = subprocess.run(
        [
            tool("llc-22"),
            "-mtriple=amdgcn-amd-amdhsa",
            f"-mcpu={processor}",
            f"-mattr=+wavefrontsize{wave}",
            "-o",
            "-",
        ],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    pattern = r"^k(\d+):.*?^; Occupancy: (\d+)$"
    return {int(n): int(w) for n, w in re.findall(pattern, done.stdout, re.M | re.S)}


@pytest.mark.toolchain
@pytest.mark.parametrize("processor", [name for name in processors() if name not in DROPPED])
def test_occupancy_equals_llvms(processor: str) -> None:
    family = families()[processors()[processor].family]
    for wave in (wave for wave in (32, 64) if f"wave{wave}" in family):
        asm = 'call void asm sideeffect "", "~{{v{}}}"()'
        for size in (64, 192, 256):
            bodies = {count: asm.format(count - 1) for count in REGISTERS}
            theirs = _compile(processor, wave, bodies, size)
            ours = {n: occupancy(processor, Needs(n, 16, 0, wave, size)) for n in REGISTERS}
            assert {n: found.waves for n, found in ours.items() if found} == theirs
        theirs = _compile(processor, wave, {count: f"@l{count}" for count in LDS}, 256)
        ours = {n: occupancy(processor, Needs(1, 16, n, wave, 256)) for n in LDS}
        assert {n: found.waves for n, found in ours.items() if found} == theirs
