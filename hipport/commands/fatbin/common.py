"""The options that the subcommands of `hipport fatbin` share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from hipport.fatbin.limits import Limits

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Size(click.ParamType[int]):
    """A number of bytes with an optional unit: 64M, 2G, 1GiB."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        match = re.fullmatch(r"(\d{1,15})\s*([KMG]?)(?:i?B)?", str(value), re.I)
        if match is None:
            self.fail(f"{value!r} is no size; write 64M or 2G", param, ctx)
        return int(match.group(1)) * _UNITS[match.group(2).upper()]


def files(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments FILE..., --format and --max-size."""
    command = click.argument(
        "files", nargs=-1, required=True, metavar="FILE...", type=click.Path()
    )(command)
    return output(limited(command))


def output(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "rich", "json"]),
        default="text",
        help="How to write the result.",
    )(command)


def limited(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--max-size",
        type=Size(),
        default=Limits().max_size,
        show_default="256M",
        help="Largest bundle or package member to decompress.",
    )(command)
