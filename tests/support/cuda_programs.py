"""The CUDA programs of `fixtures/cuda` and what `fixtures/cuda/expected.toml` says about each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hipport.files import MEMORY
from tests.support.folders import FIXTURES

FOLDER = FIXTURES / "cuda"
COMPILED = (".cu", ".hip", ".cpp", ".c")


@dataclass(frozen=True, slots=True)
class Program:
    """One folder of `fixtures/cuda` with its table; the table's fields are explained there."""

    name: str
    kernels: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    needs: str = ""
    errors: tuple[str, ...] = ()
    reason: str = ""
    packages: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def compiles(self) -> bool:
        return not self.needs and not self.errors

    def sources(self, root: Path) -> list[Path]:
        """What a compiler is called for, below a folder of converted programs."""
        found = (root / self.name).rglob("*")
        return sorted(path for path in found if path.suffix in COMPILED)


@cache
def table() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "expected.toml").read_text("utf-8"))


@cache
def programs() -> dict[str, Program]:
    """The programs by name, in the order of the table."""
    return {name: _program(name, row) for name, row in table()["program"].items()}


def _program(name: str, row: dict[str, Any]) -> Program:
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    return Program(name, **fields)


def files(root: Path) -> dict[str, Path]:
    """Every file below a folder, by its path from there; not what a converted tree remembers."""
    found = (path for path in sorted(root.rglob("*")) if MEMORY not in path.parts)
    return {str(path.relative_to(root)): path for path in found if path.is_file()}
