"""What the subcommands of `hipport audit` share: their options, and the end of a run."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TypeVar

import click

from hipport.commands.codes import complete_codes
from hipport.commands.settings import config_options
from hipport.errors import UsageError
from hipport.files import replacing
from hipport.model import Report, Severity
from hipport.report.context import Context
from hipport.report.formats import FORMATS, write
from hipport.schema import meant
from hipport.source.rules import load

_Command = TypeVar("_Command", bound=Callable[..., Any])


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


def words(text: str) -> tuple[str, ...]:
    """`gfx90a, gfx942` as a tuple, each word once."""
    return tuple(dict.fromkeys(each.strip() for each in text.split(",") if each.strip()))


def parse_targets(text: str, place: str = "--targets") -> tuple[str, ...]:
    """`gfx90a,gfx942` as a tuple, each a processor of rules/targets.toml."""
    targets = words(text)
    if targets:
        rules = (load().folder / "targets.toml").read_text(encoding="utf-8")
        known = tomllib.loads(rules)["processor"]
        for each in targets:
            if each not in known:
                raise UsageError(
                    f"{place}: no processor {each}{meant(each, known)}",
                    remedy="write it like gfx942",
                )
    return targets


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
