"""Findings as JUnit XML: a suite a file, a case a finding, as CI servers show test results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from hipport.errors import printable
from hipport.model import Finding, Report
from hipport.report.context import Context, column_of, line_of


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write the suites of all files that were read; a file without findings is a case that passed.

    A finding fails if it is of the severity that fails the command; the others are only told.
    """
    by_path: dict[str, list[Finding]] = {
        file.path: [] for file in report.files if file.status not in ("skipped", "failed")
    }
    for each in report.findings:
        by_path.setdefault(each.path, []).append(each)
    failed = sum(_fails(each, context) for each in report.findings)
    cases = sum(len(found) or 1 for found in by_path.values())
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    out.write(f'<testsuites name="hipport audit" tests="{cases}" failures="{failed}">\n')
    for path, found in by_path.items():
        out.writelines(f"{line}\n" for line in _suite(path, found, context))
    out.write("</testsuites>\n")


def _suite(path: str, found: list[Finding], context: Context) -> Iterator[str]:
    failed = sum(_fails(each, context) for each in found)
    name = _attribute(path)
    yield f' <testsuite name={name} tests="{len(found) or 1}" failures="{failed}" errors="0">'
    if not found:
        yield f'  <testcase name="nothing to port" classname={name}/>'
    for each in found:
        place = f"{each.code} at {line_of(each)}:{column_of(each)}"
        yield f'  <testcase name="{place}" classname={name} file={name} line="{line_of(each)}">'
        text = escape(printable(f"{each.message}. {each.suggestion}".strip()))
        if _fails(each, context):
            message = _attribute(each.message)
            kind = each.severity.word
            yield f'   <failure type="{kind}" message={message}>{text}</failure>'
        else:
            yield f"   <system-out>{each.severity.word}: {text}</system-out>"
        yield "  </testcase>"
    yield " </testsuite>"


def _fails(finding: Finding, context: Context) -> bool:
    return context.fail_on is not None and finding.severity >= context.fail_on


def _attribute(text: str) -> str:
    # XML has no way to write most control characters, not even escaped ([XML 1.0] 2.2).
    return quoteattr(printable(text))
