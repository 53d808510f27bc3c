"""Compiles HIP sources for several GPUs with clang 22, and compares their trace with libclang."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.support.binaries import output_of, tool
from tests.support.command import Ran, hipport
from tests.support.libclang_names import launched

TARGETS = ("gfx90a", "gfx942", "gfx1100")
HEADER = Path(__file__).parents[1] / "trace" / "hip.h"


def built(folder: Path, *sources: str, options: tuple[str, ...] = ()) -> Path:
    """The library that the sources of a folder make, with code for TARGETS."""
    library = folder / "lib.so"
    output_of(
        *(tool("clang++-22"), "-x", "hip", "-nogpuinc", "-nogpulib", "-O2", "-fPIC", "-shared"),
        *("-nostdinc", "-std=c++17", "-fdeclspec", "-w", "-include", HEADER),
        *("-nostdlib", "-fuse-ld=lld"),
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


class Judged:
    """The launches of a source that libclang knows too, with what each says."""

    def __init__(self, folder: Path, source: str, library: Path, *options: str) -> None:
        found = traced(folder, source, library)
        names = {kernel["name"] for each in found["launches"] for kernel in each["kernels"]}
        names |= {name for each in found["definitions"] for name in each["kernels"]}
        plain = {name.partition(".")[0]: name for name in names}
        truth = launched(folder / source, plain, *options)
        self.launches: list[dict[str, Any]] = found["launches"]
        self.unknown: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        for each in self.launches:
            if each["line"] not in truth:
                self.unknown.append(each)
                continue
            ours = {kernel["name"].partition(".")[0] for kernel in each["kernels"]}
            right = bool(ours & truth[each["line"]])
            if each["certainty"] == "certain":
                right = ours <= truth[each["line"]]
            self.counts[each["certainty"]] += 1
            if not right:
                self.wrong.append(f"{each['line']}: {each['kernel']} {each['certainty']} {ours}")
