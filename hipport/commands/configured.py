"""The options about configuration files, the same in every command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


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
