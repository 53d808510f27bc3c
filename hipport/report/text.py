"""Findings as lines: `path:line:column: severity CODE message`."""

from __future__ import annotations

from collections import Counter
from typing import TextIO

from hipport.errors import printable
from hipport.model import Report, Severity
from hipport.report.context import Context, column_of, count, line_of


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write a line for each finding in the order of the files, and one that counts them."""
    for each in report.findings:
        place = f"{each.path}:{line_of(each)}:{column_of(each)}"
        line = f"{place}: {each.severity.word} {each.code} {each.message}"
        out.write(f"{printable(line)}\n")
    severities = Counter(each.severity for each in report.findings)
    parts = [f"{severities[each]:,} {each.word}" for each in sorted(Severity, reverse=True)]
    detail = f": {', '.join(parts)}" if report.findings else ""
    found = count(len(report.findings), "finding")
    out.write(f"{found} in {count(len(report.files), 'file')}{detail}\n")
