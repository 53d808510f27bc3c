"""`hipport cmake-dir`: where CMake finds the package hipport."""

from __future__ import annotations

import sys
from pathlib import Path

import click

EPILOG = """\b
Examples:
  cmake -S . -B build -DCMAKE_PREFIX_PATH="$(hipport cmake-dir)"
  hipport cmake-dir --python    the Python that the package runs
"""


@click.command(epilog=EPILOG)
@click.option("--python", is_flag=True, help="Print the Python that hipport runs in instead.")
def command(python: bool) -> None:
    """Print the folder of the CMake package, which builds HIP from CUDA sources.

    find_package(hipport) finds it with -Dhipport_DIR=FOLDER, or on CMAKE_PREFIX_PATH.
    """
    click.echo(sys.executable if python else str(Path(__file__).parents[1] / "cmake"))
