"""Compiles converted code in memory, as HIP for host and GPUs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from hipport.config import Configurations
from hipport.errors import UsageError, printable
from hipport.files import read
from hipport.model import Finding, Report
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.load import load
from hipport.runs.given import texts
from hipport.runs.settings import Settings
from hipport.runs.targets import known_targets
from hipport.runs.verify_request import VerifyRequest
from hipport.runs.verify_units import grouped, verify_units
from hipport.runs.watch import Faults, VerifyWatch
from hipport.source.options import Options
from hipport.source.tree.file_task import LARGEST_SOURCE, Task
from hipport.source.tree.source_lines import SourceFiles, SourceLines
from hipport.source.tree.task_list import Wishes, plan
from hipport.verification.compile_commands import Database, find_database
from hipport.verification.known_files import Origin
from hipport.verification.model import Unit
from hipport.verification.parser_process import SECONDS
from hipport.verification.toolchain import find_toolchain
from hipport.verification.units import find_units


class Verification(msgspec.Struct, frozen=True):
    """What a compiler says of converted code."""

    report: Report
    """The files, which are its units, and the findings."""
    faults: tuple[str, ...]
    """What could not be read."""
    lines: SourceLines
    """The lines of the files, read again."""
    rules: Mapping[str, FindingRule]
    """The rules that name the findings, by code."""


def verify(request: VerifyRequest, watch: VerifyWatch | None = None) -> Verification:
    """Compile the files and trees of a request.

    Raises HipportError where there is nothing to compile, or nothing to compile it with.
    """
    watch = watch or VerifyWatch()
    toolchain = find_toolchain(request.rocm_path, request.libclang, request.resource_dir)
    watch.toolchain(toolchain)
    faults = Faults(watch)
    if request.original and len(request.paths) > 1:
        raise UsageError("--original is for one PATH", remedy="verify the trees one by one")
    settings = Settings(
        Configurations(request.config_file, is_isolated=request.isolated),
        Options(rocm=()),
        {"targets": known_targets(request.targets)},
    )
    tasks = _tasks(request, settings, faults)
    origins = dict(_origins(tasks, request))
    units = _units(tasks, request, watch)
    groups = grouped(units, lambda unit: settings.options(unit.path))
    report = verify_units(groups, origins, toolchain, request.jobs, request.timeout or SECONDS)
    if request.link:
        from hipport.runs.verify_link import link_findings

        report.findings = _by_file([*report.findings, *link_findings(tasks, faults)])
    shown = [
        task._replace(name=origins[task.source].name) for task in tasks if task.source in origins
    ]
    for each in shown:
        settings.options(each.source)
    report.findings = settings.judged(report.findings, SourceFiles(shown).of)
    return Verification(report, tuple(faults.messages), SourceLines(shown), load().findings)


def _by_file(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, those of one file together."""
    found: dict[str, list[Finding]] = {}
    for each in findings:
        found.setdefault(each.path, []).append(each)
    return [each for every in found.values() for each in every]


def _tasks(request: VerifyRequest, settings: Settings, faults: Faults) -> list[Task]:
    """The files of the paths, named from the working folder."""
    original = partial(_original, request)

    def is_excluded(path: str) -> bool:
        """What is not converted is not compiled: by the patterns for either tree."""
        source = original(Path(path))
        return settings.is_excluded(path) or bool(source and settings.is_excluded(source))

    wishes = Wishes(writes=False, exclude=request.exclude, is_excluded=is_excluded)
    planned = plan(texts(request.paths), wishes, faults.add)
    return [each._replace(name=_shown(each)) for each in planned]


def _units(tasks: Iterable[Task], request: VerifyRequest, watch: VerifyWatch) -> list[Unit]:
    """What is compiled, with the arguments for it."""
    paths = list(map(Path, request.paths))
    listed = find_database(request.database, paths)
    database = Database(listed, request.original, paths[0]) if listed else None
    units = list(find_units(tasks, list(request.arguments), database, watch.note))
    if not units:
        raise UsageError("nothing to compile there", remedy="name CUDA or HIP sources, or a tree")
    watch.units(units)
    return units


def _origins(tasks: Iterable[Task], request: VerifyRequest) -> Iterator[tuple[Path, Origin]]:
    """The origin of each source file; that of a converted one is in the original tree."""
    for task in tasks:
        if not task.language or task.is_link:
            continue
        source = _original(request, task.source)
        if source and source.is_file():
            name = _shown(task._replace(source_path=source.as_posix(), name=str(source)))
            yield task.source, Origin(name, task.language, _reader(source))
        else:
            yield task.source, Origin(task.name, task.language)


def _original(request: VerifyRequest, path: Path) -> Path | None:
    """What a converted file was converted from, if the request says so."""
    original = request.original
    if not original:
        return None
    return original / path.relative_to(request.paths[0]) if original.is_dir() else original


def _shown(task: Task) -> str:
    """The path from the working folder, which editors and CI can open."""
    path = Path(os.path.normpath(task.source.absolute()))
    with suppress(ValueError):
        return printable(path.relative_to(Path.cwd()).as_posix())
    return task.name


def _reader(path: Path) -> Callable[[], bytes]:
    return lambda: read(path, LARGEST_SOURCE)
