"""What a conversion shows while it runs, and at its end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import click

from hipport.errors import logged, printable
from hipport.files import replacing
from hipport.model import Report
from hipport.source.project import Outcome
from hipport.source.rules import load

_LONG_WORK = 20
_Done = TypeVar("_Done")


def with_progress(
    outcomes: Iterator[_Done], total: int, quiet: bool, what: str = "Converting"
) -> Iterator[_Done]:
    """The outcomes; on a terminal a progress bar shows how far they are."""
    if quiet or total < _LONG_WORK or not sys.stderr.isatty():
        yield from outcomes
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(outcomes, what, total, console=Console(stderr=True), transient=True)


def shown(outcomes: Iterator[Outcome], check: bool) -> Iterator[Outcome]:
    """The outcomes, each told as it comes: errors, diffs, and what --check lists."""
    for outcome in outcomes:
        if outcome.error:
            complain(outcome.error)
        if outcome.old or outcome.new:
            _print_diff(outcome)
        if outcome.explained:
            from hipport.report.explanation import lines

            click.echo("\n".join(map(logged, lines(outcome.explained))))
        if check and outcome.file.status == "converted":
            click.echo(logged(outcome.file.path))
        outcome.old = outcome.new = b""
        yield outcome


def _print_diff(outcome: Outcome) -> None:
    from hipport.report.diff import diff

    lines = diff(outcome.file.path, outcome.old, outcome.new, is_new=outcome.is_new)
    if sys.stdout.isatty():
        sys.stdout.writelines(map(_shown_line, lines))
    else:
        sys.stdout.buffer.writelines(lines)


def _shown_line(line: bytes) -> str:
    """A line of a diff for reading: what steers a terminal is escaped, but for tabs."""
    parts = line.decode("utf-8", "surrogateescape").rstrip("\r\n").split("\t")
    return "\t".join(map(printable, parts)) + "\n"


def complain(error: str) -> None:
    """Tell an error on one line of stderr."""
    click.echo(f"hipport: {printable(error)}", err=True)


def write_report(report: Report, path: Path) -> None:
    """Write the report as JSON, whole or not at all; to standard output for `-`."""
    from contextlib import nullcontext
    from io import TextIOWrapper

    from hipport.report.json import write_object

    is_file = path != Path("-")
    with replacing(path, 0o644) if is_file else nullcontext(sys.stdout.buffer) as file:
        text = TextIOWrapper(file, "utf-8", newline="\n")
        write_object(report, text)
        text.flush()
        text.detach()


def write_summary(report: Report, where: str, report_file: Path | None) -> None:
    """Print the summary on the terminal; `where` is the place that the result went to."""
    from rich.console import Console

    from hipport.report.conversion_summary import write as write_rich

    titles = {code: rule.title for code, rule in load().findings.items()}
    write_rich(report, Console(), where=where, file=str(report_file or ""), titles=titles)
