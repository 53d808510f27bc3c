"""Converts a tree again: only what changed, with the edits kept that were made by hand since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from hipport.errors import printable
from hipport.model import Finding, Position
from hipport.source.manifest import Manifest, Writer, recall
from hipport.source.project import Outcome, Task
from hipport.source.rules import load


@dataclass(slots=True)
class Again:
    """The tasks of a run, each with what the last run left, and the manifests they came from."""

    tasks: list[Task]
    manifests: dict[Path, Manifest] = field(default_factory=dict)


def look_back(tasks: list[Task], *, starts_over: bool) -> Again:
    """Give each task of a tree what its manifest knows. Raises HipportError for a damaged one."""
    found = Again(tasks)
    for folder in dict.fromkeys(task.memory for task in tasks if task.memory):
        found.manifests[folder] = manifest = Manifest(folder)
        if starts_over:
            manifest.entries = {}
        names = sorted(task.name for task in tasks if task.memory == folder)
        # Whether a file needs another edit can depend on which files there are.
        tree = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()
        for index, task in enumerate(tasks):
            if task.memory == folder and not task.is_link:
                last = manifest.entries.get(_key(task))
                tasks[index] = task._replace(tree=tree, last=last)
    return found


def _key(task: Task) -> str:
    """The path of a task's output in its output folder."""
    assert task.output is not None
    assert task.memory is not None
    return task.output.relative_to(task.memory).as_posix()


def remembered(
    outcomes: Iterable[Outcome], tasks: Iterable[Task], again: Again
) -> Iterator[Outcome]:
    """The outcomes, which belong to the tasks in order; at their end the manifests are written."""
    with ExitStack() as stack:
        writers = {
            folder: stack.enter_context(Writer(manifest))
            for folder, manifest in again.manifests.items()
        }
        for outcome, task in zip(outcomes, tasks, strict=True):
            if task.memory and not task.is_link:
                key = _key(task)
                if outcome.is_reused:
                    recall(outcome, again.manifests[task.memory].said(key), task)
                writers[task.memory].put(key, outcome)
                outcome.packed = b""
            outcome.findings = outcome.findings + outcome.merging
            yield outcome
        for folder, path in _orphans(again):
            writers[folder].keep(path)


def _orphans(again: Again) -> Iterator[tuple[Path, str]]:
    """Files that the last run wrote, whose source is gone, and that are still there."""
    for folder, manifest in again.manifests.items():
        present = {_key(task) for task in again.tasks if task.memory == folder}
        for path in manifest.entries:
            is_inside = not path.startswith("/") and ".." not in path.split("/")
            if path not in present and is_inside and (folder / path).is_file():
                yield folder, path


def orphans(again: Again) -> list[Finding]:
    """A finding for each output that has no source any more."""
    rule = load().findings["HP-MERGE-002"]
    return [
        Finding(
            code=rule.id,
            severity=rule.severity,
            message=rule.message.format_map({"symbol": printable(path)}),
            suggestion=rule.suggestion,
            symbol=printable(path),
            path=printable(path),
            start=Position(1, 1),
            end=Position(1, 1),
        )
        for folder, path in _orphans(again)
    ]
