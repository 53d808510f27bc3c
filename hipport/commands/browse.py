"""`hipport browse`: fat binaries in a full-screen program."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hipport.commands.fatbin.common import limited
from hipport.errors import UsageError
from hipport.fatbin.limits import Limits

EPILOG = """\b
Examples:
  hipport browse libfoo.so
  hipport browse --sources src/ libfoo.so
  hipport browse --theme ansi-dark build/ dist/foo-1.0-py3-none-any.whl
"""


@click.command(epilog=EPILOG)
@click.argument("paths", nargs=-1, metavar="[FILE|DIR|WHEEL]...", type=click.Path())
@limited
@click.option("--theme", default="", help="A Textual theme, such as ansi-dark for 16 colours.")
@click.option(
    "--sources",
    type=click.Path(),
    metavar="PATH",
    help="CUDA or HIP sources, to show where each kernel is defined and launched.",
)
def command(
    paths: tuple[str, ...], max_size: int, timeout: int, theme: str, sources: str | None
) -> None:
    """Browse fat binaries: targets, kernels, registers, code.

    Without a path, opens the current folder. Press F1 for help and q to quit.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("hipport browse needs a terminal", remedy="use hipport fatbin in scripts")
    for path in paths:
        if not Path(path).exists():
            raise UsageError(f"{path}: no such file or folder", remedy="check the path")
    from hipport.tui.app import browse

    read = None
    if sources is not None:
        from hipport.runs.trace import read_sources

        read = read_sources(sources)
    browse(paths or (".",), Limits(max_size=max_size, max_seconds=timeout), theme, read)
