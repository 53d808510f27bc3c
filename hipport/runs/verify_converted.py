"""Verifies what a conversion wrote."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from hipport.files import read
from hipport.model import Finding, Report
from hipport.runs.verify_units import grouped, verify_units
from hipport.source.options import Options
from hipport.source.tree.file_task import LARGEST_SOURCE, Task
from hipport.verification.build_flags import kept, plain
from hipport.verification.compile_commands import Database, find_database
from hipport.verification.known_files import Origin
from hipport.verification.toolchain import Toolchain, find_toolchain
from hipport.verification.units import find_units


class Before(msgspec.Struct):
    """What is found out before a conversion: with what to verify it, and the files it replaces."""

    toolchain: Toolchain
    tasks: list[Task]
    data: dict[Path, bytes] = msgspec.field(default_factory=dict)

    @classmethod
    def of(cls, tasks: list[Task]) -> Before:
        changed = [each for each in tasks if each.in_place and each.language and not each.is_link]
        return cls(
            find_toolchain(),
            tasks,
            {each.source: read(each.source, LARGEST_SOURCE) for each in changed},
        )

    def origin(self, task: Task) -> Origin:
        data = self.data.get(task.source)
        if data is not None:
            return Origin(task.name, task.language, lambda: data)
        return Origin(task.name, task.language, lambda: read(task.source, LARGEST_SOURCE))


def verify_converted(
    before: Before,
    report: Report,
    options_of: Callable[[Path], Options],
    jobs: int | None,
    given: Sequence[str],
    named: Path | None,
) -> Report | None:
    """The report on what a conversion wrote, explained by its findings; None without a unit.

    What became of each file is noted in the report. `given` are arguments of every unit, `named`
    is a compilation database or its folder.
    """
    known: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        known[finding.path].append(finding)
    sources = {plain(each.output): each for each in before.tasks if each.output}
    origins = {
        path: before.origin(each)
        for path, each in sources.items()
        if each.language and not each.is_link
    }
    written = [_written(each) for each in sources.values()]
    trees = {each.root: result.root for each, result in zip(sources.values(), written, strict=True)}
    arguments = kept(given, Path.cwd(), lambda path: _converted(path, trees))
    units = find_units(written, arguments, _database(named, trees))
    groups = grouped(units, lambda unit: options_of(sources[plain(unit.path)].source))
    if not groups:
        return None
    verified = verify_units(groups, origins, before.toolchain, jobs, known=known)
    statuses = {file.path: file.status for file in verified.files}
    for file in report.files:
        file.verification = statuses.get(file.path, "")
    return verified


def _converted(path: Path, trees: Mapping[Path, Path]) -> Path:
    """The folder of a result in place of that of its original."""
    for original, converted in trees.items():
        if path.is_relative_to(plain(original)):
            moved = plain(converted) / path.relative_to(plain(original))
            return moved if moved.is_dir() else path
    return path


def _database(named: Path | None, trees: Mapping[Path, Path]) -> Database | None:
    """The commands of the one tree that is converted, for its result."""
    if len(trees) != 1:
        return None
    ((original, converted),) = trees.items()
    found = find_database(named, [original])
    return Database(found, original, converted) if found else None


def _written(task: Task) -> Task:
    """The result of a task as one to read, its root that of the written tree."""
    assert task.output is not None
    depth = len(task.source.relative_to(task.root).parts)
    root = task.output.parents[depth - 1]
    return task._replace(source_path=task.output_path, root_path=root.as_posix())
