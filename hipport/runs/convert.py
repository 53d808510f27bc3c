"""Converts files and trees: plan, parse if asked to, convert, verify if asked to, report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hipport.locking import Locks
from hipport.model import Records, Report
from hipport.runs.conversion_options import refuse_contradictions, settings_of, wishes_of
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.folders import hold_sources, make_folders
from hipport.runs.given import texts
from hipport.runs.settings import Settings
from hipport.runs.watch import Faults, Watch
from hipport.source.tree.file_task import Outcome, Task
from hipport.source.tree.helper_header import with_helpers
from hipport.source.tree.run_tasks import jobs_for, most_jobs, renamed, run
from hipport.source.tree.source_lines import SourceFiles
from hipport.source.tree.task_list import plan
from hipport.source.tree.tree_report import report_of
from hipport.spool import Spool

if TYPE_CHECKING:
    from hipport.runs.shards import Shard
    from hipport.runs.verify_converted import Before
    from hipport.source.tree.incremental import Again

_SMALL = 2 << 20


class Conversion(msgspec.Struct, frozen=True):
    """What became of a conversion."""

    report: Report
    """The files, the findings and, if they were asked for, the edits."""
    faults: tuple[str, ...]
    """What could not be read or written; all else was done."""
    tasks: Records[Task]
    """Which file was to go where."""
    source_of: Callable[[str], Path | None]
    """The file at a path of the report."""
    verified: Report | None = None
    """The report of the compiler's verdicts, if they were asked for."""


def convert(request: ConvertRequest, watch: Watch | None = None) -> Conversion:
    """Convert the files and trees of a request.

    Raises HipportError where nothing can be done at all: a request that contradicts itself, a
    path that is not there, another run at work in the same tree.
    """
    watch = watch or Watch()
    faults = Faults(watch)
    settings = settings_of(request)
    shard: Shard | None = None
    if request.shard:
        from hipport.runs.shards import parse_shard

        shard = parse_shard(request.shard)
    refuse_contradictions(request)
    with Locks() as locks:
        tasks = _tasks(request, settings, locks, faults, watch)
        if request.in_place and not (request.backup or request.force):
            from hipport.runs.unsaved import refuse_unsaved

            refuse_unsaved(tasks, settings.options)
        again: Again | None = None
        if any(task.memory_path for task in tasks):
            from hipport.source.tree.incremental import look_back

            again = look_back(tasks, starts_over=request.force)
            if shard:
                again.narrow(lambda task: shard.has(task.below))
            tasks = again.tasks
        if request.parts:
            from hipport.source.tree.parts import Parts

            assert request.output is not None
            tasks = Spool(map(Parts(request.parts, request.output).with_result, tasks))
        before: Before | None = None
        if request.verify:
            from hipport.runs.verify_converted import Before

            before = Before.of(list(tasks))
        jobs = request.jobs or jobs_for(filter(_is_read, tasks), _SMALL)
        outcomes = _outcomes(tasks, settings, request, jobs, again, faults)
        report = report_of(faults.watched(watch.progress(outcomes, len(tasks), "Converting")))
        if again:
            from hipport.source.tree.incremental import orphans

            report.findings.extend(orphans(again))
        source_of = SourceFiles(tasks).of
        report.findings = settings.judged(report.findings, source_of)
        verified = None
        if before:
            verified = _verify(before, report, settings, source_of, request, jobs)
    return Conversion(report, tuple(faults.messages), tasks, source_of, verified)


def _tasks(
    request: ConvertRequest, settings: Settings, locks: Locks, faults: Faults, watch: Watch
) -> Records[Task]:
    """Which file goes where, with the folders made and what a compiler says, if it is asked."""
    paths = texts(request.paths)
    if request.writes:
        hold_sources(paths, locks, in_place=request.in_place)
    tasks: Records[Task] = plan(paths, wishes_of(request, settings), faults.add)
    make_folders(tasks, locks)
    if not request.semantic:
        return tasks
    from hipport.semantic.name_facts import Request, with_semantics

    asked = Request(
        request.cuda_path,
        request.database,
        request.arguments,
        request.jobs or most_jobs(),
        starts_over=request.force,
    )
    progress = partial(watch.progress, what="Parsing")
    return with_semantics(list(tasks), settings.grouped(tasks), asked, progress)


def _outcomes(
    tasks: Records[Task],
    settings: Settings,
    request: ConvertRequest,
    jobs: int,
    again: Again | None,
    faults: Faults,
) -> Iterator[Outcome]:
    """The files as they are done, in the order of the tasks' groups."""
    groups = settings.grouped(tasks)
    outcomes = chain.from_iterable(run(group, options, jobs) for options, group in groups.items())
    grouped = chain.from_iterable(groups.values())
    done: Iterator[tuple[Outcome, Task]] = zip(outcomes, grouped, strict=True)
    if request.in_place and request.rename:
        done = renamed(done, faults.add)
    done = with_helpers(done, settings.options, again.last if again else None)
    if again:
        from hipport.source.tree.incremental import remembered

        done = remembered(done, again)
    return (outcome for outcome, _ in done)


def _verify(
    before: Before,
    report: Report,
    settings: Settings,
    source_of: Callable[[str], Path | None],
    request: ConvertRequest,
    jobs: int,
) -> Report | None:
    """What a compiler says of the result, its findings added to the report."""
    from hipport.runs.verify_converted import verify_converted

    verified = verify_converted(
        before, report, settings.options, jobs, request.arguments, request.database
    )
    if verified:
        report.findings.extend(settings.judged(verified.findings, source_of))
    return verified


def _is_read(task: Task) -> bool:
    return bool(task.language) and not task.is_link
