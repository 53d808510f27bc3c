"""LLVM's tools on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.programs import find_program

_LLVM = Path("/usr/lib")
"""Debian has a folder here for each version."""
_FOLDERS = ("/opt/rocm/llvm/bin", "/opt/rocm/lib/llvm/bin", "/usr/local/opt/llvm/bin")
_VERSION = regex(r"llvm-?(\d+)")


class Tool(NamedTuple):
    """A program; `version` is LLVM's major number, 0 where the path does not say."""

    version: int
    path: str


def llvm_tools(name: str) -> list[Tool]:
    """Every copy of that tool, the newest first; ROCm's own counts as newest of all."""
    found: dict[str, Tool] = {}

    def add(path: Path | str, version: int) -> None:
        real = os.path.realpath(path)
        if os.access(real, os.X_OK) and real not in found:
            found[real] = Tool(version, str(path))

    for rocm in _FOLDERS:
        add(Path(rocm) / name, 999)
    for folder in sorted(_LLVM.glob("llvm-*")):
        match = _VERSION.search(folder.name)
        add(folder / "bin" / name, int(match.group(1)) if match else 0)
    plain = find_program(name)
    if plain:
        match = _VERSION.search(os.path.realpath(plain))
        add(plain, int(match.group(1)) if match else 0)
    return sorted(found.values(), reverse=True)
