"""Findings as workflow commands: GitHub shows them beside the changed lines of a pull request.

GitHub keeps ten errors, ten warnings and ten notices of a step, so the worst come first.
"""

from __future__ import annotations

from typing import TextIO

from hipport.errors import printable
from hipport.model import Report, Severity
from hipport.report.context import Context, column_of, line_of, worst_first

_COMMANDS = {
    Severity.BLOCKER: "error",
    Severity.MANUAL: "error",
    Severity.REVIEW: "warning",
    Severity.INFO: "notice",
}


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write one command a line (GitHub Docs, "Workflow commands for GitHub Actions")."""
    for each in worst_first(report):
        properties = {
            "file": each.path,
            "line": str(line_of(each)),
            "col": str(column_of(each)),
            "endLine": str(max(each.end.line, line_of(each))),
            "title": f"{each.code} {context.title(each)}",
        }
        if each.end.line == each.start.line:
            properties["endColumn"] = str(max(each.end.column, column_of(each)))
        text = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        advice = f" {each.suggestion}" if each.suggestion else ""
        command = _COMMANDS[each.severity]
        out.write(f"::{command} {text}::{_data(f'{each.message}.{advice}')}\n")


def _data(text: str) -> str:
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
