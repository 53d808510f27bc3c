"""Compiles HIP sources for several GPUs with clang 22, and traces them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command import Ran, hipport
from tests.fatbin.paths import output_of, tool

TARGETS = ("gfx90a", "gfx942", "gfx1100")
HEADER = Path(__file__).with_name("hip.h")


def built(folder: Path, *sources: str, options: tuple[str, ...] = ()) -> Path:
    """The library that the sources of a folder make, with code for TARGETS."""
    library = folder / "lib.so"
    output_of(
        *(tool("clang++-22"), "-x", "hip", "-nogpuinc", "-nogpulib", "-O2", "-fPIC", "-shared"),
        *("-nostdinc", "-std=c++17", "-w", "-include", HEADER, "-nostdlib", "-fuse-ld=lld"),
        *(f"--offload-arch={target}" for target in TARGETS),
        *options,
        *(folder / source for source in sources),
        *("-o", library),
    )
    return library


def trace(folder: Path, *arguments: str | Path) -> Ran:
    """`hipport trace ARGUMENTS` in a folder, configured by nothing."""
    return hipport("trace", "--isolated", *arguments, cwd=folder)


def traced(folder: Path, *arguments: str | Path) -> dict[str, Any]:
    """The same as JSON."""
    ran = trace(folder, "--fail-on", "never", "--format", "json", *arguments)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found
