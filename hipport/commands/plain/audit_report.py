"""`hipport audit report`: every finding of a tree, in any format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hipport.commands.audited import audit_request, one_finding_a_decision, run_audit
from hipport.commands.output import Output, finish

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def run(
    paths: Sequence[str],
    strict: bool = False,
    all_places: bool = False,
    stdin_filename: str = "stdin.cu",
    report_file: Path | None = None,
    format_: str | None = None,
    fail_on: str = "manual",
    **asked: Any,
) -> int:
    """Report what an audit finds; the exit code. `asked` are fields of AuditRequest."""
    from hipport.report.context import Context
    from hipport.runs.subject import subject_of

    output = Output.of(report_file, format_, fail_on)
    request = audit_request(paths, **asked)
    result = run_audit(request, stdin_filename)
    one_finding_a_decision(
        result.report, result.rules, all_places=all_places, asked=bool(request.select)
    )
    context = Context(result.rules, result.lines, output.fail_on, subject=subject_of(request.paths))
    return finish(result.report, context, output, len(result.faults) * strict)
