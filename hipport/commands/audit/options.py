"""The options that the subcommands of `hipport audit` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from hipport.commands.completing import complete_codes, complete_releases, complete_targets
from hipport.commands.configured import config_options

_Command = TypeVar("_Command", bound=Callable[..., Any])


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
