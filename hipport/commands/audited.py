"""What an audit is asked for, its run, and what is left out of its report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hipport.commands.terminal import Terminal
from hipport.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hipport.model import Report
    from hipport.rulebook.known_findings import Findings
    from hipport.runs.audit import Audit
    from hipport.runs.audit_request import AuditRequest

LONG_WORK = 100
"""From as many files on a terminal shows how far an audit is."""


def run_audit(request: AuditRequest, stdin_filename: str) -> Audit:
    """Audit what the paths name; of `-`, what is on standard input."""
    if "-" not in request.paths:
        from hipport.runs.audit import audit

        return audit(request, Terminal(LONG_WORK))
    if len(request.paths) > 1:
        raise UsageError("- reads standard input", remedy="give no other path")
    from hipport.runs.audit_text import audit_text
    from hipport.source.tree.file_task import LARGEST_SOURCE

    return audit_text(sys.stdin.buffer.read(LARGEST_SOURCE + 1), stdin_filename, request)


def audit_request(
    paths: Sequence[str], targets: str = "", select: str = "", ignore: str = "", **asked: Any
) -> AuditRequest:
    """What the options of `audit_options` ask for, `strict` aside."""
    from hipport.runs.audit_request import AuditRequest
    from hipport.runs.targets import words

    return AuditRequest(
        tuple(paths),
        targets=words(targets),
        select=words(select),
        ignore=words(ignore),
        **asked,
    )


def one_finding_a_decision(
    report: Report, rules: Findings, *, all_places: bool, asked: bool = False
) -> None:
    """Join the findings that one decision answers, unless each place was asked for.

    Notes are counted and left out, unless their codes were asked for.
    """
    if all_places:
        return
    from hipport.rulebook.load import load
    from hipport.source.audit.decisions import together, without_notes

    if not asked:
        whole = len(report.findings)
        report.findings = without_notes(report.findings, rules)
        report.notes += whole - len(report.findings)
    others = load(is_audit=True).branches.copied_parts.whole
    report.findings = together(report.findings, rules, others)
