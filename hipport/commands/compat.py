"""`hipport compat`: one header, so that one source builds for both vendors."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hipport.commands.configured import config_options, target_options
from hipport.commands.terminal import Terminal
from hipport.errors import UsageError

EPILOG = """\b
Examples:
  hipport compat src/ -o cuda_to_hip.h
  hipport compat src/ -o port/cuda_to_hip.h --stand-ins
  hipcc -include port/cuda_to_hip.h -Iport/cuda_to_hip -c src/kernel.cu
"""


@click.command(epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE.h",
    help="The header to write.",
)
@click.option(
    "--stand-ins",
    is_flag=True,
    help="Also write stand-ins for the CUDA headers, in a folder named after the header.",
)
@target_options
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Skip matching files; patterns as in .gitignore.",
)
@config_options
def command(
    paths: tuple[str, ...],
    output: Path,
    stand_ins: bool,
    libs: str | None,
    rocm: str,
    exclude: tuple[str, ...],
    config_file: Path | None,
    isolated: bool,
) -> None:
    """Write a header that lets unchanged CUDA sources compile as HIP.

    It maps exactly the CUDA names that the sources use. Exit code 0: written; 1: written, and its
    first lines list what needs manual work; 2: usage error, or a file could not be read.
    """
    if output.suffix not in (".h", ".hpp", ".hh", ".cuh"):
        raise UsageError(f"-o {output}: not a header's name", remedy="end it in .h")
    from hipport.config import Configurations
    from hipport.runs.compat import write_compat
    from hipport.runs.settings import Settings
    from hipport.runs.watch import Faults
    from hipport.source.options import Options

    settings = Settings(
        Configurations(config_file, is_isolated=isolated),
        Options(rocm=(), helpers=False),
        {"rocm": rocm, "libs": libs},
    )
    faults = Faults(Terminal(0))
    left = write_compat(paths, output, settings, faults, exclude=exclude, with_stand_ins=stand_ins)
    if faults.messages:
        sys.exit(2)
    sys.exit(1 if left else 0)
