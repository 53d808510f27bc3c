"""The report as JSON, schema hipport-report/1 (report.schema.json beside this file)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, TextIO

from hipport import __version__
from hipport.model import Finding, Report, Severity


def write(report: Report, out: TextIO) -> None:
    """Write one JSON object, keys and findings in a fixed order."""
    json.dump(as_dict(report), out, indent=1, ensure_ascii=False)
    out.write("\n")


def as_dict(report: Report) -> dict[str, Any]:
    """The report as plain values; lines and columns are 1-based, columns count characters."""
    return {
        "schema": "hipport-report/1",
        "tool": {"name": "hipport", "version": __version__},
        "command": report.command,
        "summary": _summary(report),
        "files": [
            {
                "path": file.path,
                "output": file.output,
                "language": file.language,
                "edits": file.edits,
                "status": file.status,
            }
            for file in report.files
        ],
        "findings": [_finding(finding) for finding in report.findings],
    }


def _summary(report: Report) -> dict[str, Any]:
    statuses = Counter(file.status for file in report.files)
    severities = Counter(finding.severity for finding in report.findings)
    return {
        "files": len(report.files),
        **{
            status: statuses[status]
            for status in ("converted", "unchanged", "copied", "skipped", "failed")
        },
        **({"audited": statuses["audited"]} if statuses["audited"] else {}),
        **({"options": report.options} if report.options else {}),
        "edits": sum(file.edits for file in report.files),
        "findings": {each.word: severities[each] for each in sorted(Severity, reverse=True)},
        "libraries": {
            library: {"mapped": mapped, "uses": uses}
            for library, (mapped, uses) in sorted(report.uses.items())
        },
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity.word,
        "path": finding.path,
        "line": finding.start.line,
        "column": finding.start.column,
        "end_line": finding.end.line,
        "end_column": finding.end.column,
        "symbol": finding.symbol,
        "message": finding.message,
        "suggestion": finding.suggestion,
    }
