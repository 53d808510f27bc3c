"""Findings as lines: `path:line:column: severity CODE message`."""

from __future__ import annotations

from typing import TextIO

from hipport.errors import logged, printable
from hipport.model import Report
from hipport.report.context import Context, more_places, place_of
from hipport.report.summary import counts, kinds, unread_by_reason, unread_counts, work

_MANY = 50
_KINDS = 5


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write a line for each finding in the order of the files, then what was not read, and sums.

    `[*]` after a code says that `hipport convert` does it.
    The end of the text is what a terminal shows: after many findings it names the worst kinds.
    """
    if work(report):
        out.write(f"{work(report)}\n")
    for each in report.findings:
        code = f"{each.code} [*]" if each.fixed_by else each.code
        said = "; ".join(filter(None, (each.message, more_places(each))))
        line = f"{place_of(each)}: {each.severity.word} {code} {said}"
        out.write(f"{logged(line)}\n")
    for group in unread_by_reason(report):
        out.write(logged(f"{group.where}: {group.what}") + "\n")
    if len(report.findings) > _MANY:
        _write_kinds(report, out, context)
    out.write(f"{counts(report)}\n")
    if unread_counts(report):
        out.write(f"{unread_counts(report)}\n")


def _write_kinds(report: Report, out: TextIO, context: Context) -> None:
    ranked = kinds(report.findings, context)
    out.write("\n")
    for each in ranked[:_KINDS]:
        where = f"{each.number:,} in {each.files:,}"
        out.write(printable(f"{each.severity.word:<7} {each.code:<12} {where:>12}  {each.title}"))
        out.write("\n")
    more = len(ranked) - _KINDS
    out.write(f"and {more} more kinds; " if more > 0 else "")
    out.write("hipport audit explain CODE says what to do\n\n")
