"""Where a report goes, in which format, and what makes a command fail: the same everywhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from hipport.errors import printable
from hipport.report.formats import FORMATS, format_of, write, write_file

if TYPE_CHECKING:
    from hipport.model import Report, Severity
    from hipport.report.context import Context
    from hipport.runs.exit_code import Exit

_Command = TypeVar("_Command", bound=Callable[..., Any])
_STDOUT = Path("-")


class Output(NamedTuple):
    """What was asked for. `path` is None for standard output, `format` None for the best there."""

    path: Path | None
    format: str | None
    fail_on: Severity | None
    """From which severity on a finding fails the command; None for never."""

    @classmethod
    def of(cls, path: Path | None, format: str | None, fail_on: str) -> Output:
        """Raises UsageError for a file whose ending names no format."""
        from hipport.model import Severity

        level = None if fail_on == "never" else Severity.parse(fail_on)
        if not path or path == _STDOUT:
            return cls(None, format, level)
        return cls(path, format_of(path, format), level)

    def write(self, report: Report, context: Context) -> None:
        """Write the report where it is to go."""
        if self.path:
            write_file(report, self.path, self.format or "text", context)
            return
        chosen = self.format or ("rich" if sys.stdout.isatty() else "text")
        if chosen != "rich" and hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        write(report, sys.stdout, chosen, context)


def format_option(function: _Command) -> _Command:
    """--format."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(list(FORMATS)),
        help="Default: by the report's extension; else rich on a terminal, text elsewhere.",
    )(function)


def fail_on_option(function: _Command) -> _Command:
    """--fail-on."""
    return click.option(
        "--fail-on",
        type=click.Choice(["blocker", "manual", "review", "info", "never"]),
        default="manual",
        show_default=True,
        help="Exit 1 on findings of this severity or worse.",
    )(function)


def output_options(function: _Command) -> _Command:
    """--format, --output and --fail-on; the command gets `output`."""

    @wraps(function)
    def command(
        *args: Any, report_file: Path | None, format_: str | None, fail_on: str, **asked: Any
    ) -> Any:
        return function(*args, output=Output.of(report_file, format_, fail_on), **asked)

    file = click.option(
        "-o",
        "--output",
        "--report",
        "report_file",
        type=click.Path(path_type=Path),
        metavar="FILE.html",
        help="Write the report to this file (- for stdout); the extension chooses the format.",
    )
    return format_option(file(fail_on_option(command)))  # type: ignore[return-value]


def finish(report: Report, context: Context, output: Output, faults: int = 0) -> None:
    """Write the report and exit: 0, 1 (findings), 2 (faults, as many as are not forgiven)."""
    from hipport.runs.exit_code import exit_of_findings

    output.write(report, context)
    if output.path:
        from hipport.report.summary import counts, work

        click.echo(
            f"{work(report) or counts(report)}; report in {printable(str(output.path))}", err=True
        )
    end(exit_of_findings(report, context.fail_on, faults))


def end(exit: Exit) -> None:
    """Leave with an exit code, and say on stderr why it is not 0."""
    if exit.why:
        click.echo(f"exit code {exit.code}: {exit.why}", err=True)
    sys.exit(exit.code)
