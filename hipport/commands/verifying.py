"""Verifies converted files: what `hipport verify` and `hipport convert --verify` share."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import click

from hipport.files import read
from hipport.model import FileReport, Finding, Report
from hipport.report.context import count
from hipport.source.pipeline import default_options
from hipport.source.project import LARGEST_SOURCE, Task
from hipport.source.rules import load
from hipport.source.unit import Options
from hipport.verify.files import Origin, UserFiles
from hipport.verify.knowledge import knowledge
from hipport.verify.model import Unit
from hipport.verify.outcome import judge
from hipport.verify.parser import SECONDS, parse
from hipport.verify.reported import reporter
from hipport.verify.toolchain import Toolchain, find_toolchain
from hipport.verify.units import find_units


def verify(
    units: list[Unit],
    origins: Mapping[Path, Origin],
    toolchain: Toolchain,
    targets: tuple[str, ...],
    jobs: int | None,
    seconds: int = SECONDS,
    reported: Callable[[Origin, bytes], Iterable[Finding]] | None = None,
) -> Report:
    """The report on all units; each error once, though several units may have it.

    `reported` says what was reported about a file; else what both commands would is found out.
    """
    files = UserFiles(origins, reported or reporter(_options(toolchain)))
    report = Report("verify")
    targets = targets or tuple(knowledge()["targets"])
    report.options = {"targets": ",".join(targets), "clang": toolchain.version}
    roots = [path.absolute() for path in _roots(origins)]
    jobs = jobs or min(os.cpu_count() or 1, 8)
    parsed = parse(units, toolchain, targets, roots, jobs=jobs, seconds=seconds)
    seen = set()
    for unit, passes in groupby(parsed, key=lambda each: each.unit):
        file, findings, _ = judge(unit, list(passes), files, toolchain)
        report.files.append(file)
        for each in findings:
            if each not in seen:
                seen.add(each)
                report.findings.append(each)
    _summarize(report.files)
    return report


@dataclass(slots=True)
class Before:
    """What is found out before a conversion: with what to verify it, and the files it replaces."""

    toolchain: Toolchain
    tasks: list[Task]
    data: dict[Path, bytes] = field(default_factory=dict)

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
    before: Before, findings: Iterable[Finding], targets: tuple[str, ...], jobs: int | None
) -> list[Finding]:
    """The findings on what a conversion wrote, explained by those that it reported."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for each in findings:
        by_path[each.path].append(each)
    audited = reporter(_options(before.toolchain))

    def reported(origin: Origin, data: bytes) -> Iterable[Finding]:
        return [*by_path[origin.name], *audited(origin, data)]

    written = [_written(each) for each in before.tasks if each.output]
    origins = {
        each.output: before.origin(each)
        for each in before.tasks
        if each.output and each.language and not each.is_link
    }
    units = list(find_units(written, ()))
    if not units:
        return []
    return verify(units, origins, before.toolchain, targets, jobs, reported=reported).findings


def _written(task: Task) -> Task:
    """The result of a task as one to read, its root that of the written tree."""
    assert task.output is not None
    depth = len(task.source.relative_to(task.root).parts)
    return task._replace(source=task.output, root=task.output.parents[depth - 1])


def _options(toolchain: Toolchain) -> Options:
    """What a conversion for the HIP of the headers would have been done with."""
    options = default_options(load())
    return options._replace(rocm=min(options.rocm, toolchain.headers.version))


def _summarize(files: Iterable[FileReport]) -> None:
    statuses = Counter(file.status for file in files)
    words = {
        "verified": "compile",
        "rejected": "have errors",
        "unchecked": "were checked in part only, as headers are missing",
        "failed": "could not be parsed",
    }
    parts = [f"{statuses[each]} {text}" for each, text in words.items() if statuses[each]]
    click.echo(f"hipport: {count(statuses.total(), 'unit')}: {', '.join(parts)}", err=True)


def _roots(paths: Iterable[Path]) -> list[Path]:
    """The folders of the files, those below another left out."""
    folders = sorted({Path(os.path.normpath(path.absolute())).parent for path in paths})
    kept: list[Path] = []
    for folder in folders:
        if not (kept and folder.is_relative_to(kept[-1])):
            kept.append(folder)
    return kept
