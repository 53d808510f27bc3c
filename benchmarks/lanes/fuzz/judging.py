"""Whether programs print after conversion what they print before."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.lanes.emulation import compile_program, run
from benchmarks.lanes.measuring import LANES
from benchmarks.lanes.programs import HERE, PROGRAMS, ROOT

CUDA = HERE / "fuzz" / "cuda"
_LAUNCH = re.compile(r"([\w<>]+?)<<<(\d+), (.+?)>>>\((.*)\);$", re.MULTILINE)
_REGISTER = re.compile(r'asm\("mov\.u32 %0, %%(\w+);" : "=r"\((\w+)\)\);')
_PERSON_DECIDES = ("manual", "blocker")


@dataclass(frozen=True, slots=True)
class Judgement:
    """`same`, `different`, `reported` where a finding says so, or `unsound` (proves nothing)."""

    verdict: str
    why: str = ""
    codes: list[str] = field(default_factory=list)
    """The findings of conversion that a person has to look at."""


def judge(
    texts: dict[str, str],
    folder: Path,
    emulator: Path,
    jobs: int = 1,
    spoil: Callable[[Path], None] = lambda converted: None,
) -> dict[str, Judgement]:
    """What is to be said of each program, by its name. The folder is emptied first.

    `spoil` puts a fault into what was converted.
    """
    shutil.rmtree(folder, ignore_errors=True)
    original, truth = folder / "original", folder / "truth"
    for name, text in texts.items():
        _write(original / f"{name}.cu", text)
        _write(truth / f"{name}.cu", _with_calls(text))
    for place in (original, truth):
        shutil.copy(PROGRAMS / "check.h", place)
    codes = _convert(original, folder / "converted", folder / "report.json")
    spoil(folder / "converted")
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda name: _judge(folder, emulator, name, codes.get(name, [])), texts)
        return dict(zip(texts, found, strict=True))


def _judge(folder: Path, emulator: Path, name: str, codes: list[str]) -> Judgement:
    truth = folder / "truth" / f"{name}.cu"
    fault = compile_program(emulator, [truth], CUDA, folder / "bin" / f"{name}.truth")
    if fault:
        return Judgement("unsound", fault)
    expected = run(folder / "bin" / f"{name}.truth", 32)
    if not expected.is_right:
        return Judgement("unsound", f"{expected}")
    verdict = "reported" if codes else "different"
    source, binary = folder / "converted" / f"{name}.cu", folder / "bin" / name
    fault = compile_program(emulator, [source], source.parent, binary)
    if fault:
        return Judgement(verdict, f"not compiled: {fault}", codes)
    for lanes in LANES:
        found = run(binary, lanes)
        if not found.is_right:
            return Judgement(verdict, f"{lanes} lanes: {found}", codes)
        if found.output != expected.output:
            return Judgement(
                verdict, f"{lanes} lanes: {_first(found.output, expected.output)}", codes
            )
    return Judgement("same", codes=codes)


def _first(found: str, expected: str) -> str:
    pairs = zip(found.splitlines(), expected.splitlines(), strict=False)
    return next((f"{a}, not {b}" for a, b in pairs if a != b), "more or fewer lines")


def _convert(source: Path, output: Path, report: Path) -> dict[str, list[str]]:
    """Convert the programs; gives the codes of what is left to people, by the program's name."""
    command = [sys.executable, "-m", "hipport", "convert", source, "-o", output]
    options = ["--isolated", "--quiet", "--fail-on", "never", "--report", report]
    subprocess.run([*map(str, command), *map(str, options)], cwd=ROOT, check=True)
    codes: dict[str, list[str]] = {}
    for each in json.loads(report.read_text("utf-8"))["findings"]:
        if each["severity"] in _PERSON_DECIDES:
            codes.setdefault(Path(each["path"]).stem, []).append(each["code"])
    return codes


def _with_calls(text: str) -> str:
    """`kernel<<<...>>>(...)` and PTX, which C++ for a CPU lacks, become calls."""
    call = r"hipLaunchKernelGGL((\1), \2, \3, 0, nullptr, \4);"
    return _REGISTER.sub(r"\2 = cuda_warp::\1();", _LAUNCH.sub(call, text))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
