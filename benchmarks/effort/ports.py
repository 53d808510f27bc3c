"""The ports to measure: pinned source packages of Debian and of the package index, never built."""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.fetch import cache_folder, fetch, fetch_source
from tests.support.real_trees import unpack

TABLE = Path(__file__).with_name("ports.toml")


class Port(NamedTuple):
    """A program that has its CUDA code and its HIP code, both made by people.

    They are files side by side, whose paths differ by `rename`; or branches of the same files,
    which `cuda` and `hip`, options of unifdef, choose.
    """

    name: str
    file: str
    sha256: str
    folders: tuple[str, ...]
    package: str = ""
    """Debian's source package; "" for a file of the package index."""
    project: str = ""
    version: str = ""
    rename: tuple[tuple[str, str], ...] = ()
    cuda: tuple[str, ...] = ()
    hip: tuple[str, ...] = ()


def ports() -> list[Port]:
    """Every port of the table."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    return [Port(name, **{key: _frozen(value) for key, value in row.items()})
            for name, row in table["port"].items()]  # fmt: skip


def _frozen(value: Any) -> Any:
    return value if isinstance(value, str) else tuple(map(_frozen, value))


def unpacked(port: Port) -> Path:
    """The folder in the cache with the port's folders, fetched and unpacked when missing."""
    target = cache_folder() / "ports" / f"{port.name}-{port.sha256[:16]}"
    if target.is_dir():
        return target
    archive = _archive(port)
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    partial.mkdir(parents=True)
    try:
        unpack(archive, partial, port.folders)
        partial.replace(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def _archive(port: Port) -> Path:
    if port.package:
        return fetch_source(port.package, port.file, port.sha256)
    return fetch(port.project, port.version, port.file, port.sha256)
