"""Findings as GitLab's code quality report (GitLab Docs, "Code Quality report format")."""

from __future__ import annotations

from typing import TextIO

from hipport.errors import printable
from hipport.model import Report, Severity
from hipport.report.context import Context, line_of
from hipport.report.json import indented
from hipport.source.audit.baseline import fingerprints
from hipport.source.audit.decisions import at_each_place

_SEVERITIES = {
    Severity.BLOCKER: "blocker",
    Severity.MANUAL: "major",
    Severity.REVIEW: "minor",
    Severity.INFO: "info",
}


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write one array with an object for each place, which GitLab follows through commits."""
    known = fingerprints(at_each_place(report.findings), context.lines)
    start = "["
    for each, fingerprint in zip(at_each_place(report.findings), known, strict=True):
        issue = {
            "description": printable(f"{each.code}: {each.message}"),
            "check_name": each.code,
            "fingerprint": fingerprint.digest,
            "severity": _SEVERITIES[each.severity],
            "location": {
                "path": each.path,
                "lines": {"begin": line_of(each), "end": max(each.end.line, line_of(each))},
            },
        }
        out.write(f"{start}\n {indented(issue, 1)}")
        start = ","
    out.write("[]\n" if start == "[" else "\n]\n")
