"""A trace on a terminal: a table for each launch, then the findings."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hipport.errors import printable
from hipport.model import Finding, Report
from hipport.report.context import Context, count, place_of
from hipport.report.places import STYLES
from hipport.report.summary import counts
from hipport.report.trace.rows import COLUMNS, configuration, place, rows
from hipport.report.trace.text import others, sums
from hipport.trace.model import Certainty, Match, Trace

_CERTAINTY = {Certainty.CERTAIN: "green", Certainty.LIKELY: "yellow", Certainty.NONE: "red"}
_MOST_KERNELS = 8
_WIDEST = 120


def write(trace: Trace, report: Report, out: TextIO, context: Context) -> None:
    """Write launches, kernels from no source, findings, and sums."""
    console = Console(file=out, highlight=False)
    # A terminal may break a line that is too long; a target that is cut off says nothing.
    tables = Console(file=out, highlight=False, width=max(console.width, _WIDEST))
    for match in trace.matches:
        _print_launch(trace, match, console, tables)
    for line in others(trace):
        console.print(Text(printable(line), "dim"), soft_wrap=True)
    if report.findings:
        console.print()
    for finding in report.findings:
        _print_finding(finding, console)
    console.print(Text(f"\n{counts(report)}"), soft_wrap=True)
    console.print(Text(sums(trace), "bold"), soft_wrap=True)
    if report.findings:
        console.print(Text("hipport help CODE says more", "dim"), soft_wrap=True)


def _print_finding(finding: Finding, console: Console) -> None:
    line = Text.assemble(
        (printable(place_of(finding)), "underline"),
        "  ",
        (finding.severity.word, STYLES[finding.severity]),
        f" {finding.code}",
    )
    console.print(line, soft_wrap=True)
    console.print(Padding(Text(printable(finding.message)), (0, 0, 0, 2)))


def _print_launch(trace: Trace, match: Match, console: Console, tables: Console) -> None:
    launch = match.launch
    head = Text.assemble(
        (printable(place(launch)), "underline"),
        "  ",
        (printable(launch.kernel), "bold"),
        "  ",
        (printable(configuration(launch)), "dim"),
    )
    console.print(head, soft_wrap=True)
    reason = f": {match.reason}" if match.reason else ""
    console.print(Text(f"  {match.certainty}{printable(reason)}", _CERTAINTY[match.certainty]))
    for kernel in match.kernels[:_MOST_KERNELS]:
        name = printable(trace.readable.get(kernel, kernel))
        console.print(Text(f"  {name}"), soft_wrap=True)
        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
        table.add_column("    target")
        for column in COLUMNS:
            table.add_column(column, justify="right")
        table.add_column("reg")
        table.add_column("waves")
        for row in rows(trace, match, kernel):
            table.add_row(f"    {row.kernel.target}", *row.cells(), row.registered, row.waves)
        tables.print(table)
    more = len(match.kernels) - _MOST_KERNELS
    if more > 0:
        console.print(Text(f"  and {count(more, 'more kernel')}", "dim"))
