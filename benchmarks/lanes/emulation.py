"""Compiles converted programs for the emulator and runs them with wavefronts of 32 or 64 lanes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.lanes.programs import HERE

INCLUDE, EMULATOR = HERE / "include", HERE / "emulator"
_SECONDS = 60
_ENDLESS = 3
"""The exit code of the emulator's that says so: emulator/block.cpp."""
_FRAMES = ["-std=c++17", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"]
_EMULATOR = [*_FRAMES, "-O2", "-Wall", "-Wextra", "-Werror"]
# No optimization: the order of the code is the order of the source, by which lanes meet again. The
# compiler calls the emulator in every basic block and before every access to memory.
_STEPS = "-fsanitize-coverage=trace-pc,bb,no-prune,trace-loads,trace-stores"
_PROGRAM = [*_FRAMES, "-O0", "-w", "-x", "c++", _STEPS, "-D__HIP__", "-D__HIPCC__"]
_DYNAMIC = re.compile(r"\bextern\s+__shared__\s+(?:__align__\(\d+\)\s+)?([\w\s:]+?)\s*\b(\w+)\[\];")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one run: passed, wrong, endless, crashed or not compiled."""

    verdict: str
    traps: int = 0
    output: str = ""

    @property
    def is_right(self) -> bool:
        return self.verdict == "passed" and not self.traps

    def __str__(self) -> str:
        return f"{self.verdict}, {self.traps} traps" if self.traps else self.verdict


@cache
def clang() -> str:
    """The C++ compiler: clang 16 or newer, which calls back before accesses to memory."""
    names = [os.environ.get("CLANGXX", ""), "clang++-22", "clang++-19", "clang++"]
    found = [path for name in names if name and (path := shutil.which(name))]
    if not found:
        raise SystemExit("no clang++ is on the path (set CLANGXX to where it is)")
    return found[0]


def prepare_emulator(folder: Path) -> None:
    """Compile what all programs share: the emulator, and HIP's header."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = [EMULATOR / "block.cpp", EMULATOR / "fiber.cpp"]
    linked = ["-r", "-nostdlib", "-o", folder / "emulator.o"]
    _must([clang(), *_EMULATOR, *sources, *linked])
    header = folder / "precompiled.h"
    header.write_text("#include <hip/hip_runtime.h>\n", "utf-8")
    options = [each if each != "c++" else "c++-header" for each in _PROGRAM]
    _must([clang(), *options, "-I", INCLUDE, header, "-o", folder / "precompiled.pch"])


def compile_program(emulator: Path, sources: list[Path], include: Path, binary: Path) -> str:
    """Compile and link a converted program; what the compiler says if it cannot."""
    for source in sources:
        _lay_out_dynamic_memory(source)
    binary.parent.mkdir(parents=True, exist_ok=True)
    shared = ["-include-pch", emulator / "precompiled.pch", "-I", INCLUDE, "-I", include]
    objects = ["-fno-sanitize-link-runtime", "-x", "none", emulator / "emulator.o", "-o", binary]
    return _said([clang(), *_PROGRAM, *shared, *sources, *objects])


def run(binary: Path, lanes: int) -> Outcome:
    environment = {**os.environ, "LANES": str(lanes)}
    try:
        done = subprocess.run(
            [binary], capture_output=True, text=True, env=environment, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Outcome("endless", output=f"no end after {_SECONDS} s")
    traps = re.search(r"^lanes: (\d+) traps$", done.stderr, re.MULTILINE)
    verdict = {0: "passed", 1: "wrong", _ENDLESS: "endless"}.get(done.returncode, "crashed")
    return Outcome(verdict, int(traps[1]) if traps else 0, done.stdout + done.stderr)


def _lay_out_dynamic_memory(source: Path) -> None:
    """`extern __shared__`, which C++ lacks, becomes a pointer to the memory of the block."""
    text = source.read_text("utf-8")
    pointer = r"\1 *\2 = reinterpret_cast<\1 *>(emulator::dynamic_shared);"
    changed = _DYNAMIC.sub(pointer, text)
    if changed != text:
        source.write_text(changed, "utf-8")


def _said(command: Iterable[object]) -> str:
    done = subprocess.run(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.stdout.decode("utf-8", "backslashreplace") if done.returncode else ""


def _must(command: Iterable[object]) -> None:
    fault = _said(command)
    if fault:
        raise SystemExit(fault)
