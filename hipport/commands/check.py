"""`hipport check`: a ported tree stays ported. Made for hooks: some files, quickly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hipport.commands.audit.options import (
    audit_options,
    audit_request,
    baseline_options,
    run_audit,
)
from hipport.commands.lazy import SectionedCommand
from hipport.commands.output import Output, finish, output_options
from hipport.commands.sections import AUDIT

EPILOG = """\b
Examples:
  hipport check src/scan.cpp src/sort.hip
  hipport check --rocm 7.0 --fail-on review src/solve.hip
  hipport check --write-baseline hipport.baseline.json src/
  hipport check --baseline hipport.baseline.json $(git diff --name-only --diff-filter=d main)
"""


@click.command(cls=SectionedCommand, sections=AUDIT, epilog=EPILOG)
@baseline_options
@audit_options
@output_options
def command(
    baseline: Path | None,
    new_baseline: Path | None,
    strict: bool,
    stdin_filename: str,
    output: Output,
    **asked: Any,
) -> None:
    """Fail if files use the CUDA API, or have findings at or above --fail-on.

    CUDA in a separate branch (#ifdef USE_ROCM ... #else ...) is allowed, and so is what the
    configuration excludes, a comment hides, or the baseline lists. Prints only what makes it fail.
    With --rocm, HIP names that this release removed or changed are findings; --fail-on review
    adds what it deprecated.
    Exit code 0: nothing found; 1: findings; 2: usage error, or with --strict an unread file.
    """
    from msgspec.structs import replace

    from hipport.source.audit.baseline import fingerprints, read_baseline, write_baseline

    known = read_baseline(baseline) if baseline else frozenset()
    result = run_audit(replace(audit_request(**asked), reports_cuda=True), stdin_filename)
    report = result.report
    found = list(fingerprints(report.findings, result.lines))
    if new_baseline:
        write_baseline(new_baseline, found)
    level = None if new_baseline else output.fail_on
    report.findings = [
        each
        for each, fingerprint in zip(report.findings, found, strict=True)
        if level is not None and each.severity >= level and fingerprint not in known
    ]
    if report.findings or output.path or output.format or result.faults:
        from hipport.report.context import Context

        context = Context(result.rules, result.lines, level)
        shown = output._replace(format=output.format or "text")
        finish(report, context, shown, len(result.faults) * strict)
