"""`hipport fatbin list`: bundles and entries, from headers alone."""

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
@click.option("--targets", is_flag=True, help="One line a file: the targets only.")
@click.option(
    "--summary", is_flag=True, help="Bytes and kernels of each target, by file and in total."
)
def command(**options: Any) -> None:
    """Bundles, targets, sizes and compression, from headers alone.

    With --summary, code objects are read too, to count their kernels.
    """
    sys.exit(run(**options))
