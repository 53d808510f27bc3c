"""What the subcommands of `hipport audit` share: their options, and the end of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TypeVar

import click

from hipport.commands.codes import complete_codes
from hipport.commands.configured import config_options
from hipport.files import replacing
from hipport.model import Report, Severity
from hipport.report.context import Context
from hipport.report.formats import FORMATS, write
from hipport.runs.audit_request import AuditRequest
from hipport.runs.targets import words

LONG_WORK = 100
"""From as many files on a terminal shows how far an audit is."""
_Command = TypeVar("_Command", bound=Callable[..., Any])


def audit_request(
    paths: tuple[str, ...],
    rocm: str,
    targets: str,
    exclude: tuple[str, ...],
    select: str,
    ignore: str,
    config_file: Path | None,
    isolated: bool,
    jobs: int | None,
) -> AuditRequest:
    """What the options of `audit_options` ask for, `strict` aside."""
    return AuditRequest(
        paths,
        rocm=rocm,
        targets=words(targets),
        select=words(select),
        ignore=words(ignore),
        exclude=exclude,
        jobs=jobs,
        config_file=config_file,
        isolated=isolated,
    )


def output_options(function: _Command) -> _Command:
    """--format, --output and --fail-on."""
    for option in (
        click.option(
            "--fail-on",
            type=click.Choice(["blocker", "manual", "review", "info", "never"]),
            default="manual",
            show_default=True,
            help="Exit 1 on findings of this severity or worse.",
        ),
        click.option(
            "-o",
            "--output",
            type=click.Path(path_type=Path),
            help="Write the report there, not to standard output (-).",
        ),
        click.option(
            "--format",
            "format_",
            type=click.Choice(list(FORMATS)),
            help="By default rich on a terminal, else text.",
        ),
    ):
        function = option(function)
    return function


def baseline_options(function: _Command) -> _Command:
    """--baseline and --write-baseline."""
    for option in (
        click.option(
            "--write-baseline",
            "new_baseline",
            type=click.Path(path_type=Path),
            help="Write all present findings there, and exit 0.",
        ),
        click.option(
            "--baseline", type=click.Path(path_type=Path), help="Leave out the findings it knows."
        ),
    ):
        function = option(function)
    return function


def audit_options(function: _Command) -> _Command:
    """What decides which files are read, and how."""
    for option in (
        click.option(
            "--strict", is_flag=True, help="Exit 2 if a file could not be read as a whole."
        ),
        click.option(
            "--jobs",
            type=click.IntRange(1, 256),
            help="Processes; by default as many as the work is large.",
        ),
        click.option(
            "--exclude", multiple=True, metavar="PATTERN", help="Skip these (as in .gitignore)."
        ),
        click.option(
            "--ignore",
            metavar="CODE,...",
            default="",
            shell_complete=complete_codes,
            help="Not these findings.",
        ),
        click.option(
            "--select",
            metavar="CODE,...",
            default="",
            shell_complete=complete_codes,
            help="Only these findings, by code or family (HP-WARP).",
        ),
        click.option("--targets", metavar="gfx90a,gfx942", default="", help="The GPUs to port to."),
        click.option("--rocm", metavar="VERSION", default="", help="The ROCm release to port to."),
        click.argument("paths", nargs=-1, metavar="[PATH...]", type=click.Path()),
    ):
        function = option(function)
    return config_options(function)


def finish(
    report: Report, context: Context, format_: str | None, output: Path | None, is_faulty: bool
) -> None:
    """Write the report where it is to go, and exit: 0, 1 (findings), 2 (faults)."""
    if output and output != Path("-"):
        with replacing(output, 0o644) as file:
            text = TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="\n")
            write(report, text, format_ or "text", context)
            text.flush()
            text.detach()
    else:
        chosen = format_ or ("rich" if sys.stdout.isatty() else "text")
        if chosen != "rich" and hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        write(report, sys.stdout, chosen, context)
    fails = any(
        context.fail_on is not None and each.severity >= context.fail_on for each in report.findings
    )
    sys.exit(2 if is_faulty else 1 if fails else 0)


def parse_level(fail_on: str) -> Severity | None:
    return None if fail_on == "never" else Severity.parse(fail_on)
