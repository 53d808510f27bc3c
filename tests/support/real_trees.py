"""Real CUDA trees for tests and benchmarks: pinned source distributions, unpacked and never run."""

from __future__ import annotations

import os
import shutil
import tarfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.fetch import cache_folder, fetch

TABLE = Path(__file__).with_name("real_trees.toml")
MAX_UNPACKED_BYTES = 1 << 30


class Tree(NamedTuple):
    """One row of `real_trees.toml`."""

    name: str
    project: str
    version: str
    filename: str
    sha256: str
    folders: tuple[str, ...]


@cache
def trees(path: Path = TABLE) -> dict[str, Tree]:
    """Every tree by name that a table pins."""
    with path.open("rb") as file:
        table = tomllib.load(file)
    return {
        name: Tree(name, **{**row, "folders": tuple(row["folders"])}) for name, row in table.items()
    }


def unpacked(tree: Tree) -> Path:
    """The folder in the cache that holds the tree's folders, fetched and unpacked when missing.

    Raises what `fetch` raises, and tarfile.FilterError for an archive that reaches outside.
    """
    return _unpacked(tree, f"{tree.name}-{tree.sha256[:16]}", tree.folders)


def whole(tree: Tree) -> Path:
    """The folder in the cache that holds all of the tree, in a folder of the tree's name."""
    return _unpacked(tree, f"whole-{tree.sha256[:16]}/{tree.name}", ("",))


def _unpacked(tree: Tree, name: str, folders: tuple[str, ...]) -> Path:
    target = cache_folder() / "trees" / name
    if target.is_dir():
        return target
    archive = fetch(tree.project, tree.version, tree.filename, tree.sha256)
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    partial.mkdir(parents=True)
    try:
        unpack(archive, partial, folders)
        partial.replace(target)
    except OSError:
        # Another test process may have put the same folder there first; that one is as good.
        if not target.is_dir():
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def unpack(archive: Path, target: Path, folders: tuple[str, ...]) -> None:
    """Unpack these folders ("": all) of a source distribution without its one top folder.

    The filter `data` (PEP 706) refuses absolute paths, links and names that leave the target, and
    device files. Raises ValueError when a folder is missing or the content is over 1 GiB.
    """
    with tarfile.open(archive) as tar:
        members = list(_inside(tar, folders))
        missing = set(folders) - {f for f in folders for m in members if _below(m.name, f)}
        if missing:
            raise ValueError(f"{archive.name} holds no folder {', '.join(sorted(missing))}")
        if sum(member.size for member in members) > MAX_UNPACKED_BYTES:
            raise ValueError(f"{archive.name} unpacks to more than {MAX_UNPACKED_BYTES} bytes")
        tar.extractall(target, members=members, filter="data")


def _inside(tar: tarfile.TarFile, folders: tuple[str, ...]) -> Iterator[tarfile.TarInfo]:
    for member in tar:
        _, _, inner = member.name.partition("/")
        if inner and any(_below(inner, folder) for folder in folders):
            yield member.replace(name=inner, deep=False)


def _below(name: str, folder: str) -> bool:
    return not folder or name == folder or name.startswith(f"{folder}/")
