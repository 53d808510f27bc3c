"""Results that other machines made of parts of a tree: reused, not made a second time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from hipport.errors import UsageError
from hipport.files import MEMORY
from hipport.source.options import Options
from hipport.source.tree.file_task import LARGEST_SOURCE, Outcome, Task
from hipport.source.tree.manifest import (
    Manifest,
    damage_named,
    digest,
    line_at,
    made_with,
    recall,
    unpacked,
)


class Parts:
    """The manifests that `hipport convert --shard` left below a folder, one for each part."""

    def __init__(self, folder: Path, output: Path) -> None:
        """Raises UsageError where there is none; `output` is where all of it goes."""
        self._output = output
        self._folders = sorted(path for path in folder.glob("*") if path.is_dir())
        self._manifests: dict[Path, list[Manifest]] = {}
        if not any((each / MEMORY / "manifest").is_file() for each in self._folders):
            raise UsageError(
                f"{folder}: no part of a conversion is in it",
                remedy="name the folder with the results of --shard, each in a folder of its own",
            )

    def with_result(self, task: Task) -> Task:
        """The task with the place of its result, if a part has one."""
        if not (task.memory and task.language) or task.is_link or task.explains:
            return task
        for manifest in self._of(task.memory):
            place = manifest.place(task.key)
            if place is not None:
                return task._replace(made=(manifest.path, place))
        return task

    def _of(self, memory: Path) -> Iterable[Manifest]:
        if memory not in self._manifests:
            below = os.path.relpath(memory, self._output)
            self._manifests[memory] = [Manifest(each / below) for each in self._folders]
        return self._manifests[memory]


def made_already(data: bytes, task: Task, options: Options, outcome: Outcome) -> bytes | None:
    """The result of a part of the conversion, and what was reported about it.

    None where it is of another source, other options, or another hipport.
    """
    assert task.made is not None
    path, place = task.made
    with damage_named(path):
        key, stamp, said, kept = line_at(path, place).rstrip(b"\n").split(b"\t")
        made_of = [digest(data), made_with(task, options)]
        if json.loads(key) != task.key or json.loads(stamp)[:2] != made_of or not kept:
            return None
        recall(outcome, json.loads(said), task)
        return unpacked(kept, LARGEST_SOURCE)
