"""Compiles every variant with nvcc: PTX to compare, and a program to run, here or elsewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.equivalence.inverse import HEADER
from benchmarks.equivalence.prepare import ORIGINAL
from benchmarks.equivalence.ptx import comparable

ARCHITECTURE = "sm_90"
_UNDEFINED = re.compile(r"undefined reference to [`'](\w+)'")
Variant = dict[str, Any]


def nvcc() -> str | None:
    """CUDA's compiler on this machine: $NVCC, or nvcc on the path."""
    return shutil.which(os.environ.get("NVCC", "nvcc"))


def version() -> str:
    """nvcc's version, as `13.0`; "" if it does not say."""
    done = subprocess.run(
        [nvcc() or "nvcc", "--version"], capture_output=True, text=True, check=False
    )
    found = re.search(r"release (\d+\.\d+)", done.stdout)
    return found[1] if found else ""


def read_plan(folder: Path) -> list[Variant]:
    found: list[Variant] = json.loads((folder / "plan.json").read_text("utf-8"))
    return found


def compare_device_code(
    folder: Path, plan: Iterable[Variant], includes: list[Path]
) -> Iterator[tuple[Variant, str]]:
    """Each variant but the originals, and `same`, `different`, `no device code`, or an error."""
    originals: dict[str, dict[str, str]] = {}
    for variant in plan:
        found = device_code(folder, variant, includes)
        original = originals.setdefault(variant["program"], found)
        if variant["variant"] != ORIGINAL:
            yield variant, _verdict(original, found)


def _verdict(original: dict[str, str], other: dict[str, str]) -> str:
    for said in (*original.values(), *other.values()):
        if not said.startswith(".version"):
            return next((line for line in said.splitlines() if "error" in line), said)
    if not original:
        return "no device code"
    return "same" if original == other else "different"


def device_code(folder: Path, variant: Variant, includes: list[Path]) -> dict[str, str]:
    """Source -> its comparable PTX, or what the compiler said in place of it."""
    place = Path(variant["program"]) / variant["variant"]
    found = {}
    for source in variant["sources"]:
        if source.endswith(".cu"):
            target = folder / "ptx" / place / f"{source}.ptx"
            target.parent.mkdir(parents=True, exist_ok=True)
            command = [*_command(folder, variant, includes), "-ptx", source, "-o", target]
            said = _run(command, folder / "source" / place)
            found[source] = said or comparable(target.read_text("utf-8"))
    return found


def build(folder: Path, variant: Variant, includes: list[Path]) -> str:
    """Make bin/PROGRAM/VARIANT/; returns what the compiler said against it, "" if nothing."""
    place = Path(variant["program"]) / variant["variant"]
    source_folder, target = folder / "source" / place, folder / "bin" / place
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    start = _command(folder, variant, includes)
    objects, said = [], ""
    for number, source in enumerate(variant["sources"]):
        if source in variant["modules"]:
            how: list[object] = ["-fatbin", source, "-o", target / variant["modules"][source]]
        else:
            objects.append(target / f"{number}.o")
            how = ["-c", source, "-o", objects[-1]]
        is_c = source.endswith(".c")
        own = [each for each in start if not (is_c and each.startswith("-std="))]
        said = said or _run([*own, *how], source_folder)
    command = [*start[:2], *variant["options"], *objects, "-Xlinker", "--strip-all"]
    said = said or _link(command, target / "program", variant["libraries"], source_folder)
    for each in objects:
        each.unlink(missing_ok=True)
    return said


def _command(folder: Path, variant: Variant, includes: list[Path]) -> list[str]:
    """nvcc with what every source of a variant is compiled with."""
    name = variant["program"]
    through = ["-include", HEADER, f"-I{folder / 'include' / name}"]
    return [
        nvcc() or "nvcc",
        f"-arch={ARCHITECTURE}",
        "-w",
        *variant["options"],
        *([] if variant["variant"] == ORIGINAL else through),
        f"-I{folder / 'source' / name / variant['variant'] / 'include'}",
        *(f"-I{path}" for path in includes),
    ]


def _link(command: list[object], program: Path, libraries: list[str], folder: Path) -> str:
    """Link, with stand-ins of the libraries: they need not be where programs are linked.

    The linker itself says which symbols the stand-ins must have.
    """
    if not libraries:
        return _run([*command, "-o", program], folder)
    missing = set(_UNDEFINED.findall(_run([*command, "-o", program], folder)))
    with tempfile.TemporaryDirectory() as place:
        words: list[object] = ["-Xlinker", "--no-as-needed"]
        for number, name in enumerate(libraries):
            source, library = Path(place, f"{number}.c"), Path(place, name)
            symbols = sorted(missing) if number == 0 else []
            source.write_text("".join(f"void {each}(void) {{}}\n" for each in symbols))
            stand_in = ["gcc", "-shared", source, f"-Wl,-soname,{name}", "-o", library]
            said = _run(stand_in, folder)
            if said:
                return said
            words += ["-Xlinker", library]
        return _run([*command, *words, "-o", program], folder)


def _run(command: Iterable[object], folder: Path) -> str:
    """What a command said against its input; "" if it ended well."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    said = (done.stderr + done.stdout).strip() or f"exit code {done.returncode}"
    return said if done.returncode else ""
