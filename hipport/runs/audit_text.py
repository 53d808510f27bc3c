"""Audits one text in memory: what an editor has, or a pipe."""

from __future__ import annotations

from pathlib import Path

from hipport.errors import HipportError, UsageError
from hipport.model import FileReport
from hipport.runs.audit import Audit, options_of, rules_of, settings_of
from hipport.runs.audit_request import AuditRequest
from hipport.runs.settings import Settings
from hipport.source.audit.audit_file import audit_bytes, kind_of
from hipport.source.audit.read_in_part import why_unreadable
from hipport.source.tree.file_task import LARGEST_SOURCE, Outcome, language_of
from hipport.source.tree.source_lines import TextLines
from hipport.source.tree.tree_report import report_of


def audit_text(
    data: bytes, name: str, request: AuditRequest, settings: Settings | None = None
) -> Audit:
    """What an audit finds in a text; its name says what it is and where its configuration is.

    `settings` are those of the request, if it is not the first text that they are used for.
    Raises HipportError for a text that cannot be read, and for a name that says nothing.
    """
    language = language_of(name)
    kind = language or kind_of(name)
    if not kind:
        raise UsageError(
            f"--stdin-filename {name}: no file that an audit reads", remedy="end it in .cu"
        )
    if len(data) > LARGEST_SOURCE:
        raise HipportError(f"{name}: larger than {LARGEST_SOURCE >> 20} MiB", remedy="leave it out")
    if reason := why_unreadable(data, is_parsed=bool(language)):
        raise HipportError(f"{name}: {reason}", remedy="name another file")
    settings = settings or settings_of(request)
    decisions = settings.decisions(Path(name))
    options = decisions.options
    outcome = Outcome(FileReport(name, kind, "audited"))
    audit_bytes(data, language, decisions, outcome)
    report = report_of([outcome])
    report.command, report.options = "audit", options_of([options])
    report.findings = settings.judged(report.findings, lambda _: Path(name))
    return Audit(report, (), TextLines(name, data), rules_of([options]))
