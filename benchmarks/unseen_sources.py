"""The sources that `benchmarks.unseen` compiles: archives, and what `unseen.toml` says of each."""

from __future__ import annotations

import re
import shutil
import tarfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from tests.support.fetch import sha256_of
from tests.support.real_trees import unpack

TABLE = Path(__file__).with_name("unseen.toml")


class Source(NamedTuple):
    """A row of the table, which explains the fields."""

    name: str
    archive: str
    origin: str
    sha256: str
    folders: tuple[str, ...]
    kind: str = "program"
    seen: bool = False
    every: int = 1
    define: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    std: str = ""
    files: tuple[tuple[str, str], ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    port_archive: str = ""
    port_sha256: str = ""
    port_folders: tuple[str, ...] = ()
    port_define: tuple[str, ...] = ()
    port_name: tuple[tuple[str, str], ...] = ()

    def port_of(self, unit: str) -> str:
        """The path of the port of a unit."""
        for pattern, new in self.port_name:
            unit = re.sub(pattern, new, unit)
        return unit


def sources() -> dict[str, Source]:
    """Every row by its name."""
    with TABLE.open("rb") as file:
        table = tomllib.load(file)
    return {name: _source(name, row) for name, row in table.items()}


def _source(name: str, row: dict[str, object]) -> Source:
    files = row.pop("files", {})
    assert isinstance(files, dict)
    fields = {key: _frozen(value) for key, value in row.items()}
    return Source(name, files=tuple(files.items()), **fields)  # type: ignore[arg-type]


def _frozen(value: object) -> object:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def unpacked(source: Source, archives: Path, target: Path) -> Path:
    """The folders of a source that are converted, unpacked there."""
    _unpack(archives / source.archive, source.sha256, target, source.folders)
    return _completed(source, target)


def unpacked_port(source: Source, archives: Path, target: Path) -> Path | None:
    """The folders that hold the port by hand, unpacked there; None if there is none."""
    if not source.port_folders:
        return None
    archive = source.port_archive or source.archive
    _unpack(archives / archive, source.port_sha256 or source.sha256, target, source.port_folders)
    return _completed(source, target)


def _completed(source: Source, folder: Path) -> Path:
    """The folder, with what a configuration would write."""
    for path, text in source.files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for old, new in source.renamed:
        (folder / old).rename(folder / new)
    return folder


def _unpack(archive: Path, sha256: str, target: Path, folders: tuple[str, ...]) -> None:
    if not archive.is_file():
        raise SystemExit(f"{archive} is not there; {TABLE.name} says where it comes from")
    if sha256_of(archive) != sha256:
        raise SystemExit(f"{archive} is not the file that {TABLE.name} names: its SHA-256 differs")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    try:
        unpack(archive, target, folders)
    except tarfile.FilterError as error:
        raise SystemExit(f"{archive}: {error}") from error
