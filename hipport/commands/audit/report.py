"""`hipport audit report`: every finding of a tree, in any format."""

from __future__ import annotations

import sys
from typing import Any

import click

from hipport.commands.audit.options import (
    audit_options,
    places_option,
)
from hipport.commands.lazy import SectionedCommand
from hipport.commands.output_options import report_options
from hipport.commands.plain.audit_report import run
from hipport.commands.sections import AUDIT

EPILOG = """\b
Examples:
  hipport audit report src/
  hipport audit report --format sarif -o hipport.sarif .
  hipport audit --format html -o port.html --rocm 6.4 --targets gfx90a,gfx942 .
"""


@click.command(cls=SectionedCommand, sections=AUDIT, epilog=EPILOG)
@audit_options
@places_option
@report_options
def command(**options: Any) -> None:
    """Find everything in files and trees (by default the working folder) that a port must fix.

    Paths in the report are relative to the working folder. Exit code 0: nothing at or above
    --fail-on; 1: findings; 2: usage error, or with --strict a file that could not be read.
    """
    sys.exit(run(**options))
