"""`hipport fatbin sbom`: where the code objects come from."""

from __future__ import annotations

import sys

import click

from hipport.commands.fatbin.common import files
from hipport.commands.plain.session import Session

EPILOG = """\b
Examples:
  hipport fatbin sbom libfoo.so
  hipport fatbin sbom --format json dist/*.whl > device-code.cdx.json
"""


@click.command(epilog=EPILOG)
@files
def command(files: tuple[str, ...], form: str, max_size: int, timeout: int) -> None:
    """List compilers, linkers, versions, and options of each code object.

    With --format json, writes a CycloneDX 1.6 bill of materials with the SHA-256 of each file and
    code object. Reads what compilers leave behind: `.comment`, ELF flags, and metadata.
    """
    session = Session(max_size, timeout)
    from hipport.report.fatbin.sbom import write

    write(session.binaries(files), session.limits, form)
    sys.exit(session.exit_code())
