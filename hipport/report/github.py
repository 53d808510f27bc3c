"""Findings as workflow commands: GitHub shows them beside the changed lines of a pull request.

GitHub keeps ten errors, ten warnings and ten notices of a step, so the worst come first.
"""

from __future__ import annotations

from typing import TextIO

from hipport.errors import printable
from hipport.model import Finding, Report, Severity
from hipport.report.context import Context, column_of, more_places, worst_first
from hipport.report.summary import unread

_COMMANDS = {
    Severity.BLOCKER: "error",
    Severity.MANUAL: "error",
    Severity.REVIEW: "warning",
    Severity.INFO: "notice",
}


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write one command per line (GitHub Docs, "Workflow commands for GitHub Actions").

    Last come the files that were not read, or only in part.
    """
    for each in worst_first(report):
        advice = f" {each.suggestion}" if each.suggestion else ""
        place = {**_place(each), "title": f"{each.code} {context.title(each)}"}
        said = "; ".join(filter(None, (each.message, more_places(each))))
        out.write(_line(_COMMANDS[each.severity], place, f"{said}.{advice}"))
    for file in unread(report):
        title = "Read in part" if file.status == "partial" else "Not read"
        out.write(_line("notice", {"file": file.path, "title": title}, file.reason))


def _place(finding: Finding) -> dict[str, str]:
    """Where it is: only the file for one in a binary file."""
    if not finding.start.line:
        return {"file": finding.path}
    place = {
        "file": finding.path,
        "line": str(finding.start.line),
        "col": str(column_of(finding)),
        "endLine": str(max(finding.end.line, finding.start.line)),
    }
    if finding.end.line == finding.start.line:
        place["endColumn"] = str(max(finding.end.column, column_of(finding)))
    return place


def _line(command: str, properties: dict[str, str], text: str) -> str:
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{command} {written}::{_data(text)}\n"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
