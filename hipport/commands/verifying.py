"""Verifies converted files: what `hipport verify` and `hipport convert --verify` share."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from pathlib import Path
from types import MappingProxyType

import click

from hipport.files import read
from hipport.model import FileReport, Finding, Records, Report
from hipport.report.context import count
from hipport.source.project import LARGEST_SOURCE, Task, most_jobs
from hipport.source.unit import Options
from hipport.verification.buildflags import kept, plain
from hipport.verification.database import Database, find_database
from hipport.verification.files import Origin, UserFiles
from hipport.verification.knowledge import knowledge
from hipport.verification.model import Unit
from hipport.verification.outcome import judge
from hipport.verification.parser import SECONDS, parse
from hipport.verification.reported import reporter
from hipport.verification.toolchain import Toolchain, find_toolchain
from hipport.verification.units import find_units

_Groups = dict[Options, list[Unit]]


def verify(
    groups: Mapping[Options, list[Unit]],
    origins: Mapping[Path, Origin],
    toolchain: Toolchain,
    jobs: int | None,
    seconds: int = SECONDS,
    known: Mapping[str, list[Finding]] = MappingProxyType({}),
) -> Report:
    """The report on all units, by what they were converted with; each error once, though several
    units may have it.

    `known` says what was reported about a file; what both commands would report is found out.
    """
    report = Report("verify")
    roots = [path.absolute() for path in _roots(origins)]
    jobs = jobs or most_jobs()
    every: dict[str, None] = {}
    seen: dict[Finding, None] = {}
    for options, units in groups.items():
        files = UserFiles(origins, _reporter(options, toolchain, known))
        targets = options.targets or tuple(knowledge()["targets"])
        every.update(dict.fromkeys(targets))
        parsed = parse(units, toolchain, targets, roots, jobs=jobs, seconds=seconds)
        for unit, passes in groupby(parsed, key=lambda each: each.unit):
            file, findings, _ = judge(unit, list(passes), files, toolchain)
            report.files.append(file)
            seen.update(dict.fromkeys(findings))
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for each in seen:
        by_file[each.path].append(each)
    report.findings = list(chain(*by_file.values()))
    report.options = {"targets": ",".join(every), "clang": toolchain.version}
    _summarize(report.files)
    return report


def grouped(units: Iterable[Unit], options_of: Callable[[Unit], Options]) -> _Groups:
    """The units by their options, in their order."""
    groups: _Groups = {}
    for unit in units:
        groups.setdefault(options_of(unit), []).append(unit)
    return groups


def _reporter(
    options: Options, toolchain: Toolchain, known: Mapping[str, list[Finding]]
) -> Callable[[Origin, bytes], Iterable[Finding]]:
    """What is reported of a file that is converted for the HIP of the headers."""
    audited = reporter(options._replace(rocm=min(options.rocm, toolchain.headers.version)))

    def reported(origin: Origin, data: bytes) -> Iterable[Finding]:
        return [*known.get(origin.name, ()), *audited(origin, data)]

    return reported


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
    before: Before,
    report: Report,
    options_of: Callable[[Path], Options],
    jobs: int | None,
    given: Sequence[str],
    named: Path | None,
) -> Records[Finding]:
    """The findings on what a conversion wrote, explained by those that it reported.

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
        return []
    verified = verify(groups, origins, before.toolchain, jobs, known=known)
    statuses = {file.path: file.status for file in verified.files}
    for file in report.files:
        file.verification = statuses.get(file.path, "")
    return verified.findings


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
    return task._replace(source=task.output, root=task.output.parents[depth - 1])


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
