"""`hipport fatbin slim`: the same file with code for fewer devices."""

from __future__ import annotations

from pathlib import Path

import click

from hipport.commands.fatbin.common import devices, limited, output, words, written_to
from hipport.fatbin.limits import Limits
from hipport.fatbin.writing.slim import slim

EPILOG = """\b
Examples:
  hipport fatbin slim libfoo.so -o slim/libfoo.so --targets gfx942
  hipport fatbin slim foo.whl -o dist/ --targets gfx90a,gfx942:xnack-
"""


@click.command(epilog=EPILOG)
@click.argument("file", metavar="FILE", type=click.Path())
@written_to("path")
@click.option("--targets", required=True, metavar="ID,…", help="Devices to keep code for.")
@output
@limited
def command(file: str, path: Path, targets: str, form: str, max_size: int, timeout: int) -> None:
    """Copy a library, bundle, or wheel, keeping only the code for these devices.

    The code that the devices would load stays unchanged: their own, or where they have none, a
    generic processor's or SPIR-V. A linked library gets smaller and keeps all addresses. A wheel
    gets a new RECORD. Write to a folder to keep the file name.
    """
    if path.is_dir():
        path = path / Path(file).name
    wanted = devices("--targets", words("--targets", targets, "gfx90a,gfx942"))
    done = slim(file, path, wanted, Limits(max_size=max_size, max_seconds=timeout))
    from hipport.report.fatbin.slim import write

    write(done, path, Path(file).stat().st_size, wanted, form)
