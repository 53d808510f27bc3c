"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from hipport.commands.completing import complete_releases

_Command = TypeVar("_Command", bound=Callable[..., Any])


def target_options(function: _Command) -> _Command:
    """--libs and --rocm, for what is written."""
    for option in (
        click.option(
            "--rocm",
            shell_complete=complete_releases,
            metavar="VERSION",
            default="",
            help="ROCm release to port to; APIs that it lacks are not used.",
        ),
        click.option(
            "--libs",
            type=click.Choice(["hip", "roc"]),
            help="Use hip* libraries such as hipBLAS (the default), or roc* ones such as rocBLAS.",
        ),
    ):
        function = option(function)
    return function


def config_options(function: _Command) -> _Command:
    """--config and --isolated."""
    for option in (
        click.option("--isolated", is_flag=True, help="Read no configuration file."),
        click.option(
            "--config",
            "config_file",
            type=click.Path(path_type=Path),
            help="Use this configuration file for all files.",
        ),
    ):
        function = option(function)
    return function
