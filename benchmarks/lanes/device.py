"""Lays out the programs, as they were and as converted, for device.sh and an NVIDIA GPU.

`python -m benchmarks.lanes.device FOLDER [CONVERTED]` writes:

original, converted     the programs, before and after conversion
include/PROGRAM         the header that reads HIP as CUDA, and stand-ins of HIP's headers
plan                    a line a program: its name and its sources
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from benchmarks.equivalence.inverse import HEADER, invert
from benchmarks.lanes.programs import HELPER, PROGRAMS, Program, convert, programs

_HIP = re.compile(rb"\bhip\w+")
_SOURCES = frozenset((".cu", ".cuh", ".h"))


def prepare(folder: Path, converted: Path | None = None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PROGRAMS, folder / "original")
    if converted is None:
        convert(folder / "converted")
    else:
        shutil.copytree(converted, folder / "converted")
    for program in programs().values():
        inverse = invert(*_before_and_after(folder, program))
        for path, text in {HEADER: inverse.header, **inverse.stand_ins}.items():
            place = folder / "include" / program.name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
    plan = [" ".join((each.name, *each.sources)) + "\n" for each in programs().values()]
    (folder / "plan").write_text("".join(plan), "utf-8")


def _before_and_after(folder: Path, program: Program) -> tuple[list[bytes], list[bytes]]:
    """The texts of a program; the helper's words but HIP's own are no news of the conversion."""
    before, after = (_texts(folder / each, program) for each in ("original", "converted"))
    helpers = [path.read_bytes() for path in (folder / "converted").glob(HELPER)]
    return [*before, *(_HIP.sub(b"", text) for text in helpers)], [*after, *helpers]


def _texts(folder: Path, program: Program) -> list[bytes]:
    """The sources of a program and the headers that they may include."""
    own = [folder / source for source in program.sources]
    if len(Path(program.sources[0]).parts) > 1:
        own += [path for path in own[0].parent.iterdir() if path.suffix in _SOURCES - {".cu"}]
    return [path.read_bytes() for path in (folder / "check.h", *own)]


if __name__ == "__main__":
    prepare(*map(Path, sys.argv[1:3]))
