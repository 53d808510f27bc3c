"""`hipport audit report`: every finding of a tree, in any format."""

from __future__ import annotations

import sys
from typing import Any

import click

from hipport.commands.audit.options import (
    audit_options,
    places_option,
)
from hipport.commands.audited import audit_request, one_finding_a_decision, run_audit
from hipport.commands.lazy import SectionedCommand
from hipport.commands.output import Output, finish
from hipport.commands.output_options import output_options
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
@output_options
def command(
    strict: bool,
    all_places: bool,
    stdin_filename: str,
    output: Output,
    **asked: Any,
) -> None:
    """Find everything in files and trees (by default the working folder) that a port must fix.

    Paths in the report are relative to the working folder. Exit code 0: nothing at or above
    --fail-on; 1: findings; 2: usage error, or with --strict a file that could not be read.
    """
    from hipport.report.context import Context
    from hipport.runs.subject import subject_of

    result = run_audit(audit_request(**asked), stdin_filename)
    one_finding_a_decision(
        result.report, result.rules, all_places=all_places, asked=asked["select"]
    )
    subject = subject_of(asked["paths"])
    context = Context(result.rules, result.lines, output.fail_on, subject=subject)
    sys.exit(finish(result.report, context, output, len(result.faults) * strict))
