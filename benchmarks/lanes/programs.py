"""The programs, and the faults that are put into what conversion makes of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = HERE / "programs"
REPORTED = "reported"
"""The folder of programs that conversion cannot make right, and reports."""
HELPER = "hipport_warp32.h"


@dataclass(frozen=True, slots=True)
class Program:
    """A name, and source files relative to the folder of all programs."""

    name: str
    sources: tuple[str, ...]

    @property
    def is_reported(self) -> bool:
        return self.name.startswith(f"{REPORTED}/")


@cache
def facts() -> dict[str, Any]:
    """What programs.toml says."""
    return tomllib.loads((HERE / "programs.toml").read_text("utf-8"))


@cache
def programs() -> dict[str, Program]:
    """All programs by name: a file is one, and so is a folder that has a main.cu."""
    found: list[Program] = []
    for path in sorted(PROGRAMS.iterdir()):
        if (path / "main.cu").is_file():
            sources = tuple(f"{path.name}/{each.name}" for each in sorted(path.glob("*.cu")))
            found.append(Program(path.name, sources))
        elif path.suffix == ".cu":
            found.append(Program(path.stem, (path.name,)))
    for path in sorted((PROGRAMS / REPORTED).glob("*.cu")):
        found.append(Program(f"{REPORTED}/{path.stem}", (f"{REPORTED}/{path.name}",)))
    return {each.name: each for each in found}


def convert(output: Path, report: Path | None = None) -> None:
    """Convert all programs into a folder, which is emptied first."""
    shutil.rmtree(output, ignore_errors=True)
    command = [sys.executable, "-m", "hipport", "convert", PROGRAMS, "-o", output]
    options = ["--isolated", "--quiet", "--fail-on", "never"]
    options += ["--report", str(report)] if report else []
    done = subprocess.run([*map(str, command), *options], cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"hipport convert ended with exit code {done.returncode}")


def with_fault(converted: Path, fault: dict[str, Any], output: Path) -> None:
    """A copy of the converted programs, with a fault in the one place that it names."""
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(converted, output)
    found = [path for path in sorted(output.rglob(fault["file"])) if path.is_file()]
    text = found[0].read_text("utf-8") if len(found) == 1 else ""
    if text.count(fault["search"]) != 1:
        raise SystemExit(f"fault {fault['name']}: its text is not found exactly once")
    found[0].write_text(text.replace(fault["search"], fault["replace"]), "utf-8")
