"""The folders that a conversion writes into: made, locked and swept before the first file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from hipport.files import MEMORY, has_leftovers, make_folder, sweep
from hipport.locking import Locks
from hipport.source.tree.file_task import Task


def hold_sources(paths: Iterable[str], locks: Locks, *, in_place: bool) -> None:
    """Keep other runs from writing what this one reads; trees changed in place, alone."""
    real = [Path(path).resolve() for path in paths]
    trees = [path for path in real if in_place and path.is_dir()]
    locks.hold(trees, (path if path.is_dir() else path.parent for path in real))


def make_folders(tasks: Iterable[Task], locks: Locks) -> None:
    """Check, before the first file, that this run alone can write each tree's output."""
    common: dict[str, str] = {}
    memories: set[str] = set()
    single: set[str] = set()
    for task in tasks:
        if not task.output_path:
            continue
        folder = os.path.dirname(task.output_path)  # noqa: PTH120
        if task.memory_path:
            memories.add(task.memory_path)
        else:
            single.add(folder)
        if not task.in_place:
            known = common.setdefault(task.root_path, folder)
            if not f"{folder}/".startswith(f"{known}/"):
                common[task.root_path] = os.path.commonpath((known, folder))
    for path in common.values():
        make_folder(Path(path))
    trees = [Path(each) for each in memories]
    locks.hold(trees, (folder for folder in map(Path, single) if not locks.is_alone(folder)))
    _sweep(tasks, trees, locks)


def _sweep(tasks: Iterable[Task], trees: Iterable[Path], locks: Locks) -> None:
    """Delete what runs that were killed left in the folders that are held alone."""

    @lru_cache(maxsize=1024)
    def swept(path: str) -> None:
        if has_leftovers(path) and locks.is_alone(folder := Path(path)):
            sweep(folder)

    for task in tasks:
        if task.output_path:
            swept(os.path.dirname(task.output_path))  # noqa: PTH120
    for tree in trees:
        swept(str(tree / MEMORY))
