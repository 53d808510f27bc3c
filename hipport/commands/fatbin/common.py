"""What the subcommands of `hipport fatbin` share: options, faults, sizes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click

from hipport.fatbin.faults import FormatError, Limits
from hipport.fatbin.model import Binary, BundleEntry
from hipport.fatbin.reader import open_path

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
    command = click.argument("files", nargs=-1, required=True, metavar="FILE...")(command)
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


class Session:
    """The files of one call; counts what is damaged, for the exit code."""

    def __init__(self, max_size: int) -> None:
        self.limits = Limits(max_size=max_size)
        self.damaged = 0

    def binaries(self, paths: Iterable[str]) -> Iterator[Binary]:
        """Every binary; its faults are told on stderr when the caller is done with it."""
        for path in paths:
            found = False
            for binary in open_path(path, self.limits):
                found = True
                yield binary
                self.tell(binary.all_faults())
            if not found:  # a folder
                click.echo(f"hipport: {path}: no file with device code in it", err=True)

    def tell(self, faults: Iterable[FormatError]) -> None:
        for fault in faults:
            self.damaged += 1
            click.echo(f"hipport: {fault}", err=True)

    def exit_code(self, findings: bool = False) -> int:
        """2 if anything was damaged, 1 for findings, else 0."""
        return 2 if self.damaged else int(findings)

    def leave(self, findings: bool = False) -> None:
        sys.stdout.flush()
        click.get_current_context().exit(self.exit_code(findings))


def target_matches(entry: BundleEntry, wanted: tuple[str, ...]) -> bool:
    """Whether the entry's target is one of these: `gfx90a` takes every feature setting."""
    if not wanted:
        return True
    target = entry.target
    if target is None:
        return False
    return any(str(target) == text or target.processor == text for text in wanted)
