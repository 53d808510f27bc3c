"""`hipport audit check`: the findings that a baseline does not know."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from hipport.commands.audit.options import (
    audit_options,
    baseline_options,
    places_option,
)
from hipport.commands.audited import audit_request, one_finding_a_decision, run_audit
from hipport.commands.lazy import SectionedCommand
from hipport.commands.output import Output, finish
from hipport.commands.output_options import output_options
from hipport.commands.sections import AUDIT
from hipport.errors import UsageError

EPILOG = """\b
Examples:
  hipport audit check --write-baseline hipport.baseline.json src/
  hipport audit check --baseline hipport.baseline.json --format github src/
"""


@click.command(cls=SectionedCommand, sections=AUDIT, epilog=EPILOG)
@baseline_options
@audit_options
@places_option
@output_options
def command(
    baseline: Path | None,
    new_baseline: Path | None,
    strict: bool,
    all_places: bool,
    stdin_filename: str,
    output: Output,
    **asked: Any,
) -> None:
    """Report only findings that are not in the baseline.

    Findings are compared by code, file, and text of the line, so that moving code does not matter.
    Exit code 0: nothing new at or above --fail-on; 1: new findings; 2: usage error, or with
    --strict an unread file.
    """
    if not (baseline or new_baseline):
        raise UsageError("check compares with a baseline", remedy="give --baseline FILE")
    from hipport.report.context import Context, count
    from hipport.runs.subject import subject_of
    from hipport.source.audit.baseline import fingerprints, read_baseline, write_baseline
    from hipport.source.convert.cuda_uses import CODE

    known = read_baseline(baseline) if baseline else frozenset()
    result = run_audit(audit_request(**asked), stdin_filename)
    report = result.report
    found = list(fingerprints(report.findings, result.lines))
    if new_baseline:
        write_baseline(new_baseline, found)
    pairs = list(zip(report.findings, found, strict=True))
    report.findings = [each for each, fingerprint in pairs if fingerprint not in known]
    one_finding_a_decision(report, result.rules, all_places=all_places, asked=bool(asked["select"]))
    # A baseline of `hipport check` has more than the audit looks for.
    gone = sum(each.code != CODE for each in known - set(found))
    if gone:
        click.echo(f"hipport: {count(gone, 'finding')} of the baseline went away", err=True)
    level = None if new_baseline else output.fail_on
    subject = subject_of(asked["paths"])
    context = Context(result.rules, result.lines, level, subject=subject)
    sys.exit(finish(report, context, output, len(result.faults) * strict))
