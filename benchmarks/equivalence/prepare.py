"""Converts the programs and lays out, in one folder, all that compiling and running them needs.

plan.json               every variant of every program: sources, libraries, how it is run
source/PROGRAM/cuda     the program as it was
source/PROGRAM/hip      as conversion left it
source/PROGRAM/NAME     as conversion left it, with a fault put in
include/PROGRAM         the header that reads HIP as CUDA, and stand-ins of HIP's headers
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.equivalence.inverse import HEADER, invert

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = ROOT / "fixtures" / "cuda"
COMPILED = frozenset((".cu", ".cpp", ".c"))
_READ = COMPILED | {".cuh", ".h"}
ORIGINAL, CONVERTED = "cuda", "hip"


@cache
def facts() -> dict[str, Any]:
    """What programs.toml says."""
    return tomllib.loads((HERE / "programs.toml").read_text("utf-8"))


def names() -> list[str]:
    return sorted(path.name for path in PROGRAMS.iterdir() if path.is_dir())


def prepare(folder: Path) -> None:
    """Write everything below a folder, which is emptied first."""
    for part in ("source", "include"):
        shutil.rmtree(folder / part, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    converted = folder / "converted"
    shutil.rmtree(converted, ignore_errors=True)
    command = [sys.executable, "-m", "hipport", "convert", PROGRAMS, "-o", converted]
    command.append("--inline-helpers")  # Each program is compiled in a folder of its own.
    done = subprocess.run([*map(str, command), "--fail-on", "never"], cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"hipport convert ended with exit code {done.returncode}")
    plan = [variant for name in names() for variant in _lay_out(name, converted, folder)]
    shutil.rmtree(converted)
    (folder / "plan.json").write_text(json.dumps(plan, indent=1) + "\n", "utf-8")


def _lay_out(name: str, converted: Path, folder: Path) -> Iterator[dict[str, Any]]:
    source, include = folder / "source" / name, folder / "include" / name
    shutil.copytree(PROGRAMS / name, source / ORIGINAL)
    shutil.copytree(converted / name, source / CONVERTED)
    inverse = invert(_texts(source / ORIGINAL), _texts(source / CONVERTED))
    for path, text in {HEADER: inverse.header, **inverse.stand_ins}.items():
        (include / path).parent.mkdir(parents=True, exist_ok=True)
        (include / path).write_text(text, "utf-8")
    yield _variant(name, ORIGINAL, source)
    yield _variant(name, CONVERTED, source)
    for fault in facts()["fault"]:
        if fault["program"] == name:
            shutil.copytree(source / CONVERTED, source / fault["name"])
            _spoil(source / fault["name"], fault)
            yield {**_variant(name, fault["name"], source), "fault": fault}


def _texts(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.suffix in _READ]


def _variant(name: str, variant: str, source: Path) -> dict[str, Any]:
    known = facts()["program"].get(name, {})
    sources = [path for path in sorted((source / variant).rglob("*")) if path.suffix in COMPILED]
    files = [facts()["library"][each]["file"] for each in known.get("libraries", ())]
    return {
        "program": name,
        "variant": variant,
        "sources": [str(path.relative_to(source / variant)) for path in sources],
        "options": [*facts()["options"], *known.get("options", ())],
        "libraries": files,
        "modules": known.get("modules", {}),
        "arguments": known.get("arguments", []),
        "runs": known.get("runs", True),
        "why": known.get("why", ""),
        "varies": known.get("varies", []),
        "device_code": known.get("device_code", ""),
    }


def _spoil(folder: Path, fault: dict[str, str]) -> None:
    """Put a fault into the one file that has the text it replaces."""
    hits = [path for path in sorted(folder.rglob("*")) if path.suffix in _READ]
    hits = [path for path in hits if fault["search"] in path.read_text("utf-8")]
    text = hits[0].read_text("utf-8") if len(hits) == 1 else ""
    if text.count(fault["search"]) != 1:
        raise SystemExit(f"fault {fault['name']}: its text is not found exactly once")
    hits[0].write_text(text.replace(fault["search"], fault["replace"]), "utf-8")
