"""`hipport check`: a ported tree stays ported. Made for hooks: some files, quickly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hipport.commands.audited import audit_request, run_audit
from hipport.commands.output import Output, finish

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hipport.model import Finding
    from hipport.runs.audit import Audit
    from hipport.source.audit.baseline import Fingerprint


def run(
    paths: Sequence[str],
    baseline: Path | None = None,
    new_baseline: Path | None = None,
    strict: bool = False,
    stdin_filename: str = "stdin.cu",
    report_file: Path | None = None,
    format_: str | None = None,
    fail_on: str = "manual",
    **asked: Any,
) -> int:
    """Print what makes the check fail; the exit code. `asked` are fields of AuditRequest."""
    output = Output.of(report_file, format_, fail_on)
    known = _known(baseline) if baseline else frozenset()
    result = run_audit(audit_request(paths, reports_cuda=True, **asked), stdin_filename)
    report, found = result.report, list(result.report.findings)
    if baseline or new_baseline:
        found = _unknown(result, known, new_baseline)
    level = None if new_baseline else output.fail_on
    report.findings = [each for each in found if level is not None and each.severity >= level]
    if not (report.findings or output.path or output.format or result.faults):
        return 0
    from hipport.report.context import Context

    context = Context(result.rules, result.lines, level)
    shown = output._replace(format=output.format or "text")
    return finish(report, context, shown, len(result.faults) * strict)


def _known(baseline: Path) -> frozenset[Fingerprint]:
    from hipport.source.audit.baseline import read_baseline

    return read_baseline(baseline)


def _unknown(
    result: Audit, known: frozenset[Fingerprint], new_baseline: Path | None
) -> list[Finding]:
    """The findings that a baseline does not list; all of them go to a new one."""
    from hipport.source.audit.baseline import fingerprints, write_baseline

    findings = list(result.report.findings)
    found = list(fingerprints(findings, result.lines))
    if new_baseline:
        write_baseline(new_baseline, found)
    pairs = zip(findings, found, strict=True)
    return [each for each, fingerprint in pairs if fingerprint not in known]
