"""Findings as JUnit XML: a suite per file, a case per finding, as CI servers show test results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from hipport.errors import printable
from hipport.model import Finding, Report
from hipport.report.context import Context
from hipport.report.summary import unread
from hipport.source.audit.decisions import at_each_place


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write the suites of all files that were read; a file without findings is a case that passed.

    A finding fails if it is of the severity that fails the command; the others are only listed. A
    file that was not read, or not as a whole, has a case that was skipped.
    """
    reasons = {file.path: file.reason for file in unread(report)}
    by_path: dict[str, list[Finding]] = {
        file.path: []
        for file in report.files
        if file.path in reasons or file.status not in ("skipped", "failed")
    }
    for each in at_each_place(report.findings):
        by_path.setdefault(each.path, []).append(each)
    failed = sum(_fails(each, context) for found in by_path.values() for each in found)
    cases = sum(_cases(found, reasons.get(path, "")) for path, found in by_path.items())
    numbers = f'tests="{cases}" failures="{failed}" errors="0"'
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    out.write(f'<testsuites name="hipport audit" {numbers} skipped="{len(reasons)}">\n')
    for path, found in by_path.items():
        suite = _suite(path, found, reasons.get(path, ""), context)
        out.writelines(f"{line}\n" for line in suite)
    out.write("</testsuites>\n")


def _cases(found: list[Finding], reason: str) -> int:
    return len(found) + bool(reason) or 1


def _suite(path: str, found: list[Finding], reason: str, context: Context) -> Iterator[str]:
    failed = sum(_fails(each, context) for each in found)
    name = _attribute(path)
    numbers = f'tests="{_cases(found, reason)}" failures="{failed}" errors="0"'
    yield f' <testsuite name={name} {numbers} skipped="{int(reason != "")}">'
    if reason:
        yield f'  <testcase name="all of it is read" classname={name} file={name}>'
        yield f"   <skipped message={_attribute(reason)}/>"
        yield "  </testcase>"
    elif not found:
        yield f'  <testcase name="nothing to port" classname={name} file={name}/>'
    for each in found:
        line, column = each.start
        place = f"{each.code} at {line}:{column}" if line else each.code
        number = f' line="{line}"' if line else ""
        yield f'  <testcase name="{place}" classname={name} file={name}{number}>'
        advice = f" {each.suggestion}" if each.suggestion else ""
        text = escape(printable(f"{each.message}.{advice}"))
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
