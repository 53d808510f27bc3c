"""What the subcommands of `hipport audit` share: their options, and the end of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hipport.commands.completing import complete_codes, complete_releases, complete_targets
from hipport.commands.configured import config_options
from hipport.commands.terminal import Terminal
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.model import Report
    from hipport.rulebook.finding_rules import FindingRule
    from hipport.runs.audit import Audit
    from hipport.runs.audit_request import AuditRequest

LONG_WORK = 100
"""From as many files on a terminal shows how far an audit is."""
_Command = TypeVar("_Command", bound=Callable[..., Any])


def run_audit(request: AuditRequest, stdin_filename: str) -> Audit:
    """Audit what the paths name; of `-`, what is on standard input."""
    if "-" not in request.paths:
        from hipport.runs.audit import audit

        return audit(request, Terminal(LONG_WORK))
    if len(request.paths) > 1:
        raise UsageError("- reads standard input", remedy="give no other path")
    from hipport.runs.audit_text import audit_text
    from hipport.source.tree.file_task import LARGEST_SOURCE

    return audit_text(sys.stdin.buffer.read(LARGEST_SOURCE + 1), stdin_filename, request)


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
    shard: str = "",
) -> AuditRequest:
    """What the options of `audit_options` ask for, `strict` aside."""
    from hipport.runs.audit_request import AuditRequest
    from hipport.runs.targets import words

    return AuditRequest(
        paths,
        rocm=rocm,
        targets=words(targets),
        select=words(select),
        ignore=words(ignore),
        exclude=exclude,
        jobs=jobs,
        shard=shard,
        config_file=config_file,
        isolated=isolated,
    )


def one_finding_a_decision(
    report: Report, rules: Mapping[str, FindingRule], *, all_places: bool, asked: str = ""
) -> None:
    """Join the findings that one decision answers, unless each place was asked for.

    Notes are counted and left out, unless their codes were asked for.
    """
    if all_places:
        return
    from hipport.source.audit.decisions import together, without_notes

    if not asked:
        whole = len(report.findings)
        report.findings = without_notes(report.findings, rules)
        report.notes += whole - len(report.findings)
    report.findings = together(report.findings, rules)


def places_option(function: _Command) -> _Command:
    """--all-places."""
    return click.option(
        "--all-places",
        is_flag=True,
        help="Report each place as a finding of its own, and notes that nothing needs to change.",
    )(function)


def baseline_options(function: _Command) -> _Command:
    """--baseline and --write-baseline."""
    for option in (
        click.option(
            "--write-baseline",
            "new_baseline",
            type=click.Path(path_type=Path),
            help="Write all current findings to this file, and exit 0.",
        ),
        click.option(
            "--baseline",
            type=click.Path(path_type=Path),
            help="Leave out the findings in this file.",
        ),
    ):
        function = option(function)
    return function


def audit_options(function: _Command) -> _Command:
    """What decides which files are read, and how."""
    for option in (
        click.option(
            "--strict", is_flag=True, help="Exit 2 if a file could not be read completely."
        ),
        click.option(
            "--jobs",
            type=click.IntRange(1, 256),
            help="Number of processes; by default, as many as the amount of work justifies.",
        ),
        click.option(
            "--shard",
            metavar="K/N",
            default="",
            help="Read part K of N; `hipport audit merge` joins the reports.",
        ),
        click.option(
            "--exclude",
            multiple=True,
            metavar="PATTERN",
            help="Skip matching files; patterns as in .gitignore.",
        ),
        click.option(
            "--ignore",
            metavar="CODE,...",
            default="",
            shell_complete=complete_codes,
            help="Leave out these findings.",
        ),
        click.option(
            "--select",
            metavar="CODE,...",
            default="",
            shell_complete=complete_codes,
            help="Report only these findings, by code or family (HP-WARP).",
        ),
        click.option(
            "--targets",
            shell_complete=complete_targets,
            metavar="gfx90a,gfx942",
            default="",
            help="The GPUs to port to.",
        ),
        click.option(
            "--rocm",
            shell_complete=complete_releases,
            metavar="VERSION",
            default="",
            help="The ROCm release to port to.",
        ),
        click.option(
            "--stdin-filename", default="stdin.cu", help="File name for `-`; sets its kind."
        ),
        click.argument("paths", nargs=-1, metavar="[PATH...]", type=click.Path()),
    ):
        function = option(function)
    return config_options(function)
