"""`hipport fatbin extract`: code objects as files."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hipport.commands.fatbin.common import files, written_to
from hipport.commands.plain.session import Session, target_matches
from hipport.fatbin.writing.extraction import Extracted, Extractor

EPILOG = """\b
Examples:
  hipport fatbin extract libfoo.so -o objects/
  hipport fatbin extract libfoo.so --target gfx942 --bundle 0 -o objects/
"""


@click.command(epilog=EPILOG)
@files
@written_to("folder")
@click.option("--target", "targets", multiple=True, metavar="ID", help="Only these targets.")
@click.option("--bundle", "bundles", multiple=True, type=int, help="Only these bundles (0, 1 …).")
def command(
    files: tuple[str, ...],
    form: str,
    max_size: int,
    timeout: int,
    folder: Path,
    targets: tuple[str, ...],
    bundles: tuple[int, ...],
) -> None:
    """Extract each device entry that has content to its own file.

    Their names combine file, bundle, and target; all files go directly into the output folder.
    """
    session = Session(max_size, timeout)
    extractor = Extractor(folder)
    written: list[tuple[str, Extracted]] = []
    for binary in session.binaries(files):
        found = extractor.extract(
            binary,
            lambda entry: (
                target_matches(entry, targets) and (not bundles or entry.bundle.index in bundles)
            ),
        )
        written += ((binary.path, item) for item in found)
    if form == "json":
        from hipport.report.fatbin.json import write_extracted

        write_extracted(written)
    elif form == "rich":
        from hipport.report.fatbin.rich import write_table

        rows = [(f"{item.size:,}", item.entry.id, str(item.path)) for _, item in written]
        write_table(f"{len(rows)} files", ("bytes", "entry", "file"), rows, right=(0,))
    else:
        for _, item in written:
            click.echo(f"{item.size:>12}  {item.path}")
    sys.exit(session.exit_code())
