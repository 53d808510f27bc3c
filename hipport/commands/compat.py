"""`hipport compat`: one header, so that one source builds for both vendors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from hipport.commands.configured import config_options, target_options
from hipport.commands.plain.compat import run

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
def command(**options: Any) -> None:
    """Write a header that lets unchanged CUDA sources compile as HIP.

    It maps exactly the CUDA names that the sources use. Exit code 0: written; 1: written, and its
    first lines list what needs manual work; 2: usage error, or a file could not be read.
    """
    sys.exit(run(**options))
