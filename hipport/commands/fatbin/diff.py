"""`hipport fatbin diff`: what changed between two files."""

from __future__ import annotations

import sys

import click

from hipport.commands.fatbin.common import limited, output
from hipport.commands.plain.session import Session
from hipport.fatbin.questions.binary_survey import Survey, survey
from hipport.fatbin.questions.differences import difference

EPILOG = """\b
Examples:
  hipport fatbin diff old/libfoo.so new/libfoo.so
  hipport fatbin diff --exit-code --format json a.hipfb b.hipfb
"""


@click.command(epilog=EPILOG)
@click.argument("old", type=click.Path())
@click.argument("new", type=click.Path())
@output
@limited
@click.option("--exit-code", is_flag=True, help="Exit with 1 if anything differs.")
def command(old: str, new: str, form: str, max_size: int, timeout: int, exit_code: bool) -> None:
    """Show added and removed targets and kernels, and changes in registers, spills, and sizes."""
    session = Session(max_size, timeout)
    found = difference(_surveys(session, old), _surveys(session, new))
    from hipport.report.fatbin.diff import write

    write(found, form)
    sys.exit(session.exit_code(exit_code and bool(found)))


def _surveys(session: Session, path: str) -> list[Survey]:
    return [
        survey(binary, session.limits, descriptors=False) for binary in session.binaries([path])
    ]
