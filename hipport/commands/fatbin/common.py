"""The options that the subcommands of `hipport fatbin` share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from hipport.errors import UsageError
from hipport.fatbin.limits import Limits
from hipport.fatbin.target_id import TargetId

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Size(click.ParamType[int]):
    """A number of bytes with an optional unit: 64M, 2G, 1GiB."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        match = re.fullmatch(r"(\d{1,15})\s*([KMG]?)(?:i?B)?", str(value), re.I)
        if match is None:
            self.fail(f"{value!r} is not a size; write 64M or 2G", param, ctx)
        return int(match.group(1)) * _UNITS[match.group(2).upper()]


def files(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments FILE..., --format, --max-size and --timeout."""
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
        help="Output format.",
    )(command)


def limited(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option(
        "--timeout",
        type=click.IntRange(1),
        default=Limits().max_seconds,
        show_default=True,
        help="Processor time for one file, in seconds.",
    )(command)
    return click.option(
        "--max-size",
        type=Size(),
        default=Limits().max_size,
        show_default="256M",
        help="Largest bundle or package member to decompress.",
    )(command)


def words(option: str, text: str | None, example: str) -> list[str]:
    """The words of an option; none where it was not given. An empty one asks for nothing, which
    would make any file pass."""
    found = [part.strip() for part in (text or "").split(",") if part.strip()]
    if text is not None and not found:
        raise UsageError(f"{option} names nothing", remedy=f"write {option} {example}")
    return found


def devices(option: str, texts: list[str]) -> list[TargetId]:
    """The target IDs of an option; with the triple before them, as the runtime and bundles write
    them, or without."""
    from hipport.fatbin.processors import features_of, processors
    from hipport.fatbin.target_id import parse_target

    found = []
    for text in texts:
        _, triple, stated = text.rpartition("-amd-amdhsa--")
        target = parse_target(stated if triple else text)
        if target.processor not in processors():
            raise UsageError(
                f"{option} {text}: no such processor",
                remedy="write a target ID such as gfx90a or gfx942:xnack+",
            )
        for feature, setting in (("sramecc", target.sramecc), ("xnack", target.xnack)):
            if setting is not None and feature not in features_of(target.processor):
                raise UsageError(
                    f"{option} {text}: {target.processor} has no {feature}",
                    remedy=f"write {option} {target.processor}",
                )
        found.append(target)
    return found


def written_to(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """-o, the file or folder that a command writes, as the parameter `name`; never `-`."""
    return click.option(
        "-o",
        "--output",
        name,
        required=True,
        type=click.Path(path_type=Path),
        callback=_refuse_stdout,
    )


def _refuse_stdout(_context: click.Context, _option: click.Parameter, path: Path) -> Path:
    """The path of a file or folder: `-` would be the name of one. Raises UsageError for it."""
    if path == Path("-"):
        raise UsageError("-o -: the result is not printed", remedy="name a file or folder")
    return path
