"""Plans an audit and runs it, with a progress bar at a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import click

from hipport.commands.audit.binaries import with_binaries
from hipport.commands.audit.options import parse_targets
from hipport.commands.rocm import parse_rocm
from hipport.errors import HipportError, printable
from hipport.model import Report
from hipport.prebuilt.facts import looks_binary
from hipport.source.audit import audit, kind_of
from hipport.source.outcomes import report_of
from hipport.source.plan import Wishes, plan
from hipport.source.project import Outcome, Task, language_of
from hipport.source.rules import load
from hipport.source.sourcelines import SourceLines
from hipport.source.unit import Options

_LONG_WORK = 100
_SMALL = 1 << 20
_MOST_JOBS = 8


class Audit(NamedTuple):
    """A finished run; `is_faulty` if a file or folder could not be read."""

    report: Report
    lines: SourceLines
    is_faulty: bool


def run(
    paths: tuple[str, ...], rocm: str, targets: str, exclude: tuple[str, ...], jobs: int | None
) -> Audit:
    """Audit files and trees; each fault is told on stderr as it comes."""
    faults: list[str] = []

    def tell(error: str) -> None:
        faults.append(error)
        click.echo(f"hipport: {printable(error)}", err=True)

    def tell_fault(error: HipportError) -> None:
        tell(str(error))

    options = Options(rocm=parse_rocm(rocm), targets=parse_targets(targets))
    chips = options.targets
    wishes = Wishes(writes=False, exclude=exclude)
    tasks = [_named(each) for each in plan(paths or (".",), wishes, tell_fault)]
    outcomes = audit(tasks, options, jobs or _jobs(tasks))
    outcomes = with_binaries(tasks, outcomes, load(is_audit=True))
    report = report_of(_told(_with_progress(outcomes, len(tasks)), tell))
    report.command = "audit"
    report.options = {"rocm": ".".join(map(str, options.rocm))}
    if chips:
        report.options["targets"] = ",".join(chips)
    return Audit(report, SourceLines(tasks), bool(faults))


def _named(task: Task) -> Task:
    """The task with its path from the working folder, which editors and CI can open.

    Files outside that folder keep the names that the plan gave them.
    """
    path = Path(os.path.normpath(task.source.absolute()))
    with suppress(ValueError):
        task = task._replace(name=printable(path.relative_to(Path.cwd()).as_posix()))
    # A file that was named is taken for CUDA where its ending says nothing.
    is_guess = task.language and not language_of(task.source.name)
    if is_guess and (kind_of(task.name) or looks_binary(task.source)):
        task = task._replace(language="")
    return task


def _told(outcomes: Iterator[Outcome], tell: Callable[[str], None]) -> Iterator[Outcome]:
    for outcome in outcomes:
        if outcome.error:
            tell(outcome.error)
        yield outcome


def _with_progress(outcomes: Iterator[Outcome], total: int) -> Iterator[Outcome]:
    if total < _LONG_WORK or not sys.stderr.isatty():
        yield from outcomes
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(outcomes, "Auditing", total, console=Console(stderr=True), transient=True)


def _jobs(tasks: list[Task]) -> int:
    """One process for little work: starting others costs more than they save."""
    size = 0
    for task in tasks:
        if (task.language or kind_of(task.name)) and not task.is_link and not task.is_left_alone:
            with suppress(OSError):
                size += task.source.stat().st_size
            if size > _SMALL:
                return min(os.cpu_count() or 1, _MOST_JOBS)
    return 1
