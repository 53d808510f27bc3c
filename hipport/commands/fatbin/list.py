"""`hipport fatbin list`: bundles and entries, from headers only."""

from __future__ import annotations

import sys
from typing import Any

import click

from hipport.commands.fatbin.common import files
from hipport.commands.plain.fatbin_list import run

EPILOG = """\b
Examples:
  hipport fatbin list libfoo.so
  hipport fatbin list --summary dist/*.whl
  hipport fatbin list --format json libfoo.so | jq '.files[].path'
"""


@click.command(epilog=EPILOG)
@files
@click.option("--targets", is_flag=True, help="Print only the targets, one line per file.")
@click.option(
    "--summary",
    is_flag=True,
    help="Print the bytes and kernels of each target, by file and in total.",
)
def command(**options: Any) -> None:
    """List bundles, targets, sizes, and compression; reads headers only.

    With --summary, also reads code objects, to count their kernels.
    """
    sys.exit(run(**options))
