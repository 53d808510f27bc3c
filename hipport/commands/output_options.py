"""The options for a report: where it goes, in which format, and what makes the command fail."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from hipport.commands.output import LEVELS, Output
from hipport.report.formats import FORMATS

_Command = TypeVar("_Command", bound=Callable[..., Any])


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
        type=click.Choice(LEVELS),
        default="manual",
        show_default=True,
        help="Exit 1 on findings of this severity or worse.",
    )(function)


def report_options(function: _Command) -> _Command:
    """--format, --output and --fail-on."""
    file = click.option(
        "-o",
        "--output",
        "--report",
        "report_file",
        type=click.Path(path_type=Path),
        metavar="FILE.html",
        help="Write the report to this file (- for stdout); the extension chooses the format.",
    )
    return format_option(file(fail_on_option(function)))


def output_options(function: _Command) -> _Command:
    """Those of `report_options`; the command gets `output`."""

    @wraps(function)
    def command(
        *args: Any, report_file: Path | None, format_: str | None, fail_on: str, **asked: Any
    ) -> Any:
        return function(*args, output=Output.of(report_file, format_, fail_on), **asked)

    return report_options(command)  # type: ignore[return-value]
