"""Plans an audit and runs it, with a progress bar at a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import click

from hipport.commands.audit.binaries import with_binaries
from hipport.commands.audit.options import parse_targets, words
from hipport.commands.rocm import parse_rocm
from hipport.commands.settings import Settings
from hipport.config import Configurations
from hipport.errors import HipportError, printable
from hipport.model import FileReport, Report
from hipport.prebuilt.facts import looks_binary
from hipport.source.audit import audit, kind_of
from hipport.source.outcomes import report_of
from hipport.source.plan import Wishes, plan
from hipport.source.project import Outcome, Task, jobs_for, language_of
from hipport.source.rules import FindingRule, load
from hipport.source.sourcelines import SourceFiles, SourceLines
from hipport.source.unit import Options
from hipport.spool import Spool

_LONG_WORK = 100
_SMALL = 1 << 20


class Audit(NamedTuple):
    """A finished run; `is_faulty` if a file or folder could not be read."""

    report: Report
    lines: SourceLines
    is_faulty: bool
    rules: Mapping[str, FindingRule]


def run(
    paths: tuple[str, ...],
    rocm: str,
    targets: str,
    exclude: tuple[str, ...],
    select: str,
    ignore: str,
    config_file: Path | None,
    isolated: bool,
    jobs: int | None,
    *,
    reports_cuda: bool = False,
) -> Audit:
    """Audit files and trees; each fault is told on stderr as it comes."""
    settings = Settings(
        Configurations(config_file, is_isolated=isolated),
        Options(rocm=(), reports_cuda=reports_cuda),
        {
            "rocm": rocm,
            "targets": parse_targets(targets),
            "select": words(select),
            "ignore": words(ignore),
        },
        is_audit=True,
    )
    faults: list[str] = []
    unlisted: list[FileReport] = []

    def tell(error: str) -> None:
        faults.append(error)
        click.echo(f"hipport: {printable(error)}", err=True)

    def tell_unlisted(error: HipportError) -> None:
        place, _, reason = error.message.partition(": ")
        unlisted.append(FileReport(_relative(Path(place)), "folder", "skipped", reason=reason))
        tell(str(error))

    wishes = Wishes(writes=False, exclude=exclude, is_excluded=settings.is_excluded)
    groups = settings.grouped(map(_named, plan(paths or (".",), wishes, tell_unlisted)))
    tasks = Spool(chain.from_iterable(groups.values()))
    jobs = jobs or jobs_for(filter(_is_read, tasks), _SMALL)
    outcomes = chain.from_iterable(audit(group, options, jobs) for options, group in groups.items())
    seen = with_binaries(tasks, outcomes, load(is_audit=True))
    report = report_of(_told(_with_progress(seen, len(tasks)), tell))
    report.command = "audit"
    report.files.extend(unlisted)
    report.findings = settings.judged(report.findings, SourceFiles(tasks).of)
    report.options = _options(groups)
    rules = load(is_audit=True).findings
    for options in groups:
        if options.extend_rules:
            rules = rules | load(is_audit=True, extend=options.extend_rules).findings
    return Audit(report, SourceLines(tasks), bool(faults), rules)


def _options(groups: Iterable[Options]) -> dict[str, str]:
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
    task = task._replace(name=_relative(task.source, task.name))
    # A file that was named is taken for CUDA where its ending says nothing.
    is_guess = task.language and not language_of(task.source.name)
    if is_guess and (kind_of(task.name) or looks_binary(task.source)):
        task = task._replace(language="")
    return task


def _relative(path: Path, otherwise: str = "") -> str:
    """The path from the working folder, or another text for one outside of it."""
    # Texts, as a tree may have very many files and a Path takes its time.
    folder = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118
    absolute = os.path.abspath(path)  # noqa: PTH100
    if absolute.startswith(folder):
        return printable(absolute[len(folder) :].replace(os.sep, "/"))
    return otherwise or printable(str(path))


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


def _is_read(task: Task) -> bool:
    """Whether the audit looks into a file."""
    is_text = bool(task.language or kind_of(task.name))
    return is_text and not task.is_link and not task.is_left_alone
