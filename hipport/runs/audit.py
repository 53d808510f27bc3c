"""Audits files and trees."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import msgspec

from hipport.config import Configurations
from hipport.errors import HipportError, printable
from hipport.model import FileReport, Report
from hipport.prebuilt.binary_facts import looks_binary
from hipport.rulebook.known_findings import Findings
from hipport.rulebook.load import load
from hipport.runs.audit_request import AuditRequest
from hipport.runs.binaries import with_binaries
from hipport.runs.given import texts
from hipport.runs.rocm import parse_rocm
from hipport.runs.settings import Settings
from hipport.runs.shards import parse_shard
from hipport.runs.targets import known_targets
from hipport.runs.watch import Faults, Watch
from hipport.source.audit.audit_file import IGNORED, kind_of
from hipport.source.audit.run_audit import audit as audit_files
from hipport.source.options import Options
from hipport.source.tree.file_task import Task, language_of
from hipport.source.tree.run_tasks import jobs_for
from hipport.source.tree.source_lines import Lines, SourceFiles, SourceLines
from hipport.source.tree.task_list import Wishes, plan
from hipport.source.tree.tree_report import report_of
from hipport.spool import Spool

_SMALL = 1 << 20
_MOST_LOOKED_AT = 10_000


class Audit(msgspec.Struct, frozen=True):
    """What an audit found."""

    report: Report
    """The files and the findings."""
    faults: tuple[str, ...]
    """What could not be read, or was read only in part."""
    lines: Lines
    """The lines of the files, read again."""
    rules: Findings
    """The rules that name the findings, by code."""


def audit(request: AuditRequest, watch: Watch | None = None) -> Audit:
    """Audit the files and trees of a request. Raises HipportError where nothing can be done."""
    watch = watch or Watch()
    faults = Faults(watch)
    settings = settings_of(request)
    unlisted: list[FileReport] = []
    shard = parse_shard(request.shard)

    def add_unlisted(error: HipportError) -> None:
        place, _, reason = error.message.partition(": ")
        unlisted.append(FileReport(_relative(Path(place)), "folder", "skipped", reason=reason))
        faults.add(error)

    def add_ignored(folder: Path) -> None:
        if number := _sources_in(folder):
            reason = f"{IGNORED}: {number} in the folder"
            unlisted.append(FileReport(_relative(folder), "folder", "skipped", reason=reason))

    wishes = Wishes(
        writes=False,
        exclude=request.exclude,
        is_excluded=settings.is_excluded,
        on_ignored=add_ignored,
    )
    paths = texts(request.paths) or ["."]
    planned = plan(paths, wishes, add_unlisted)
    groups = settings.grouped(_named(task) for task in planned if shard.has(task.below))
    tasks = Spool(chain.from_iterable(groups.values()))
    jobs = request.jobs or jobs_for(filter(_is_read, tasks), _SMALL)
    found = chain.from_iterable(
        audit_files(group, options, jobs) for options, group in groups.items()
    )
    seen = with_binaries(tasks, found, load(is_audit=True))
    report = report_of(faults.watched(watch.progress(seen, len(tasks), "Auditing")))
    report.command = "audit"
    report.files.extend(unlisted if shard.number == 1 else ())
    folders = {Path(each).as_posix() for each in paths if Path(each).is_dir()}
    if folders and not request.shard:
        from hipport.source.audit.notes_of_trees import with_notes

        report.findings = with_notes(report.findings, tasks, folders, load(is_audit=True))
    report.findings = settings.judged(report.findings, SourceFiles(tasks).of)
    report.options = options_of(groups)
    return Audit(report, tuple(faults.messages), SourceLines(tasks), rules_of(groups))


def _sources_in(folder: Path) -> str:
    """How many CUDA sources are below a folder, in words; "" if none is found."""
    looked = found = 0
    for _, folders, names in os.walk(folder):
        folders.sort()
        found += sum(language_of(name) == "cuda" for name in names)
        looked += len(names)
        if looked > _MOST_LOOKED_AT:
            break
    more = " or more" if looked > _MOST_LOOKED_AT else ""
    return f"{found:,} CUDA source{'' if found == 1 else 's'}{more}" if found else ""


def settings_of(request: AuditRequest) -> Settings:
    """The request over the configuration of each file."""
    return Settings(
        Configurations(request.config_file, is_isolated=request.isolated),
        Options(rocm=(), helpers=not request.reports_cuda, reports_cuda=request.reports_cuda),
        {
            "rocm": request.rocm,
            "targets": known_targets(request.targets),
            "select": request.select,
            "ignore": request.ignore,
        },
        is_audit=True,
    )


def rules_of(groups: Iterable[Options]) -> Findings:
    """The rules of the audit with those that the projects add."""
    rules = load(is_audit=True).findings
    for options in groups:
        if options.extend_rules:
            rules = rules.preceding(load(is_audit=True, extend=options.extend_rules).findings)
    return rules


def options_of(groups: Iterable[Options]) -> dict[str, str]:
    """What verdicts depend on; of projects with different configurations, all of it."""
    groups = list(groups) or [Options(rocm=parse_rocm(""))]
    releases = sorted({each.rocm for each in groups})
    found = {"rocm": ",".join(".".join(map(str, each)) for each in releases)}
    targets = dict.fromkeys(target for each in groups for target in each.targets)
    return {**found, "targets": ",".join(targets)} if targets else found


def _named(task: Task) -> Task:
    """The task with its path from the working folder, which editors and CI can open.

    Files outside that folder keep the names that the plan gave them.
    """
    if (name := _relative(task.source_path, task.name)) != task.name:
        task = task._replace(name=name)
    # A file that was named is taken for CUDA where its ending says nothing.
    is_guess = task.language and not language_of(task.source_path)
    if is_guess and (kind_of(task.name) or looks_binary(task.source_path)):
        task = task._replace(language="")
    return task


def _relative(path: str | Path, otherwise: str = "") -> str:
    """The path from the working folder, or another text for one outside of it."""
    # Texts, as a tree may have very many files and a Path takes its time.
    folder = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118
    absolute = os.path.abspath(path)  # noqa: PTH100
    if absolute.startswith(folder):
        return printable(absolute[len(folder) :].replace(os.sep, "/"))
    return otherwise or printable(str(path))


def _is_read(task: Task) -> bool:
    """Whether the audit looks into a file."""
    is_text = bool(task.language or kind_of(task.name))
    return is_text and not (task.is_link or task.is_left_alone or task.copied)
