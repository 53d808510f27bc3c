"""What a conversion shows while it runs, and at its end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from hipport.errors import printable
from hipport.files import write
from hipport.model import Report
from hipport.source.project import Outcome
from hipport.source.rules import load

_LONG_WORK = 20


def with_progress(outcomes: Iterator[Outcome], total: int, quiet: bool) -> Iterator[Outcome]:
    """The outcomes; on a terminal a progress bar shows how far they are."""
    if quiet or total < _LONG_WORK or not sys.stderr.isatty():
        yield from outcomes
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(outcomes, "Converting", total, console=Console(stderr=True), transient=True)


def shown(outcomes: Iterator[Outcome], check: bool) -> Iterator[Outcome]:
    """The outcomes, each told as it comes: errors, diffs, and what --check lists."""
    for outcome in outcomes:
        if outcome.error:
            complain(outcome.error)
        if outcome.old or outcome.new:
            _print_diff(outcome)
        if outcome.explained:
            from hipport.report.explanation import lines

            click.echo("\n".join(lines(outcome.explained)))
        if check and outcome.file.status == "converted":
            click.echo(outcome.file.path)
        outcome.old = outcome.new = b""
        yield outcome


def _print_diff(outcome: Outcome) -> None:
    from hipport.report.diff import diff

    sys.stdout.buffer.writelines(diff(outcome.file.path, outcome.old, outcome.new))


def complain(error: str) -> None:
    """Tell an error on one line of stderr."""
    click.echo(f"hipport: {printable(error)}", err=True)


def write_report(report: Report, path: Path) -> None:
    """Write the report as JSON, whole or not at all."""
    from io import StringIO

    from hipport.report.json import write as write_json

    text = StringIO()
    write_json(report, text)
    write(path, text.getvalue().encode())


def write_summary(report: Report, where: str, report_file: Path | None) -> None:
    """Print the summary on the terminal; `where` is the place that the result went to."""
    from rich.console import Console

    from hipport.report.rich import write as write_rich

    titles = {code: rule.title for code, rule in load().findings.items()}
    write_rich(report, Console(), where=where, file=str(report_file or ""), titles=titles)
