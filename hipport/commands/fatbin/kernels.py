"""`hipport fatbin kernels`: what every kernel needs, target by target."""

from __future__ import annotations

import sys
from typing import Any

import click

from hipport.commands.fatbin.common import files
from hipport.commands.plain.fatbin_kernels import run
from hipport.fatbin.questions.kernel_tables import RESOURCES

EPILOG = """\b
Examples:
  hipport fatbin kernels libfoo.so
  hipport fatbin kernels libfoo.so --target gfx942 --sort scratch --name gemm
"""


@click.command(epilog=EPILOG)
@files
@click.option(
    "--name", "pattern", metavar="REGEX", help="Only kernels whose name, mangled or not, matches."
)
@click.option("--target", "targets", multiple=True, metavar="ID", help="Only these targets.")
@click.option(
    "--sort",
    type=click.Choice(sorted(RESOURCES)),
    help="Sort by this column, largest first; names alphabetically.",
)
@click.option("--registered", is_flag=True, help="Show which kernels the host code registers.")
@click.option("--mangled", is_flag=True, help="Do not demangle C++ names.")
def command(**options: Any) -> None:
    """List the kernels of each target: registers, LDS, scratch, spills, wave and group size."""
    sys.exit(run(**options))
