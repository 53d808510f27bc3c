"""A port as two trees: the CUDA code as it would be without the port, and the code for HIP."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.effort.ports import Port

_SUFFIXES = frozenset((".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".hpp", ".hip", ".in"))
_BAD_UNIFDEF = 2


class Pair(NamedTuple):
    """One file of a port; both texts are written under the same path."""

    path: str
    cuda: bytes
    hip: bytes


def pairs(port: Port, root: Path) -> Iterator[Pair]:
    """All files that a port has for both; raises OSError where unifdef is not installed."""
    for path in sorted(root.rglob("*")):
        if path.suffix not in _SUFFIXES or not path.is_file():
            continue
        name = path.relative_to(root).as_posix()
        if port.rename:
            twin = root / _renamed(port, name)
            if twin != path and twin.is_file():
                yield Pair(name, path.read_bytes(), twin.read_bytes())
        elif _mentions_gpu(path):
            cuda, hip = _branches(path, port.cuda), _branches(path, port.hip)
            if cuda is not None and hip is not None:
                yield Pair(name, cuda, hip)


def lay_out(found: list[Pair], folder: Path) -> tuple[Path, Path]:
    """Write both trees below a folder."""
    trees = folder / "cuda", folder / "hip"
    for each in found:
        for tree, text in zip(trees, each[1:], strict=True):
            path = tree / each.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
    return trees


def _renamed(port: Port, name: str) -> str:
    for old, new in port.rename:
        name = name.replace(old, new)
    return name


def _mentions_gpu(path: Path) -> bool:
    return bool(re.search(rb"cuda|hip|CUDA|HIP|__device__", path.read_bytes()))


def _branches(path: Path, options: tuple[str, ...]) -> bytes | None:
    """The text without the branches that are not compiled, None where unifdef cannot say."""
    command = ["unifdef", "-k", *options, str(path)]
    done = subprocess.run(command, capture_output=True, check=False)
    return None if done.returncode >= _BAD_UNIFDEF else done.stdout
