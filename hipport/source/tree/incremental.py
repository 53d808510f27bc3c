"""Converts only what changed in a tree since the last run, and keeps manual edits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from hipport.errors import printable
from hipport.model import Finding, Position
from hipport.rulebook.load import load
from hipport.source.tree.file_task import Outcome, Stamp, Task
from hipport.source.tree.manifest import Manifest, Writer, recall
from hipport.spool import Spool


class Again(msgspec.Struct):
    """The tasks of a run with the results of the last run, and the manifests that record them."""

    tasks: Spool[Task]
    manifests: dict[str, Manifest] = msgspec.field(default_factory=dict)
    orphans: list[str] = msgspec.field(default_factory=list)
    """Outputs whose source is gone; complete only when the last file is done."""
    elsewhere: set[tuple[str, int]] = msgspec.field(default_factory=set)
    """Outputs of other parts of the tree: manifest, hash of the path."""

    def last(self, task: Task) -> Stamp | None:
        """The stamp that the last run recorded for a task."""
        return self.manifests[task.memory_path].stamp(task.key)

    def narrow(self, is_in: Callable[[Task], bool]) -> None:
        """Keep the tasks of a part of the tree; what is known of the others stays known."""
        for task in self.tasks:
            if task.memory_path and not is_in(task):
                self.elsewhere.add((task.memory_path, hash(task.key)))
        self.tasks = Spool(filter(is_in, self.tasks))


def look_back(tasks: Iterable[Task], *, starts_over: bool) -> Again:
    """Add to each task what its manifest records. Raises HipportError for a damaged manifest."""
    # Which files exist can decide whether a file needs another edit.
    trees: dict[str, Any] = {}
    for task in tasks:
        if task.memory_path:
            names = trees.setdefault(task.memory_path, hashlib.sha256())
            names.update(f"{task.name}\0".encode("utf-8", "surrogatepass"))
    manifests = {folder: Manifest(Path(folder), starts_over=starts_over) for folder in trees}
    digests = {folder: names.hexdigest() for folder, names in trees.items()}

    def known(task: Task) -> Task:
        if not task.memory_path or task.is_link:
            return task
        last = manifests[task.memory_path].stamp(task.key)
        return task._replace(tree=digests[task.memory_path], last=last)

    return Again(Spool(map(known, tasks)), manifests)


def remembered(
    done: Iterable[tuple[Outcome, Task]], again: Again
) -> Iterator[tuple[Outcome, Task]]:
    """The outcomes with their tasks; writes the manifests after the last one."""
    # A first run has no orphans. Hashes save memory, as there may be very many paths.
    present: dict[str, set[int]] = {folder: set() for folder in again.manifests}
    with ExitStack() as stack:
        writers = {
            folder: stack.enter_context(Writer(manifest))
            for folder, manifest in again.manifests.items()
        }
        for outcome, task in done:
            memory = task.memory_path
            if memory and again.manifests[memory]:
                present[memory].add(hash(task.key))
            if memory and not task.is_link:
                key = task.key
                if outcome.is_reused:
                    recall(outcome, again.manifests[memory].said(key), task)
                writers[memory].put(key, outcome)
                outcome.packed = b""
            outcome.findings = outcome.findings + outcome.merging
            yield outcome, task
        for folder, path in _orphans(again, present):
            writers[folder].keep(path)
            if (folder, hash(path)) not in again.elsewhere:
                again.orphans.append(path)


def _orphans(again: Again, present: Mapping[str, Set[int]]) -> Iterator[tuple[str, str]]:
    """Files that the last run wrote and that still exist, but are no longer `present`."""
    for folder, manifest in again.manifests.items():
        for path in manifest if manifest else ():
            is_inside = not path.startswith("/") and ".." not in path.split("/")
            is_gone = hash(path) not in present[folder]
            if is_gone and is_inside and Path(folder, path).is_file():
                yield folder, path


def orphans(again: Again) -> list[Finding]:
    """A finding for each output whose source is gone."""
    rule = load().findings["HP-MERGE-002"]
    start = Position(1, 1)
    return [rule.finding(path, path, start, start) for path in map(printable, again.orphans)]
