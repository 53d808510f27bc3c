"""What a conversion prints of each file, and at its end."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hipport.errors import logged, printable
from hipport.files import replacing
from hipport.model import Report
from hipport.rulebook.load import load
from hipport.source.tree.file_task import Outcome


def print_changes(outcome: Outcome) -> None:
    """Print the diff of a file and why each edit was made, as far as the outcome has them."""
    if outcome.old or outcome.new:
        _print_diff(outcome)
    if outcome.explained:
        from hipport.report.explanation import lines

        click.echo("\n".join(map(logged, lines(outcome.explained))))


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
