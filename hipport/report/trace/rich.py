"""A trace on a terminal: a table for each launch, then the findings."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hipport.errors import printable
from hipport.model import Report
from hipport.report import rich as findings
from hipport.report.context import Context, count
from hipport.report.trace.rows import COLUMNS, configuration, place, rows
from hipport.report.trace.text import others, sums
from hipport.trace.model import Certainty, Match, Trace

_STYLES = {Certainty.CERTAIN: "green", Certainty.LIKELY: "yellow", Certainty.NONE: "red"}
_MOST_KERNELS = 8


def write(trace: Trace, report: Report, out: TextIO, context: Context) -> None:
    """Write launches, kernels from no source, findings, and sums."""
    console = Console(file=out, highlight=False)
    for match in trace.matches:
        _print_launch(trace, match, console)
    for line in others(trace):
        console.print(Text(printable(line), "dim"), soft_wrap=True)
    findings.write(report, out, context)
    console.print(Text(sums(trace), "bold"))


def _print_launch(trace: Trace, match: Match, console: Console) -> None:
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
    console.print(Text(f"  {match.certainty}{printable(reason)}", _STYLES[match.certainty]))
    for kernel in match.kernels[:_MOST_KERNELS]:
        name = printable(trace.readable.get(kernel, kernel))
        console.print(Text(f"  {name}"), soft_wrap=True)
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("    target")
        for column in COLUMNS:
            table.add_column(column, justify="right")
        table.add_column("reg")
        table.add_column("waves")
        for row in rows(trace, match, kernel):
            table.add_row(f"    {row.kernel.target}", *row.cells(), row.registered, row.waves)
        console.print(table)
    more = len(match.kernels) - _MOST_KERNELS
    if more > 0:
        console.print(Text(f"  and {count(more, 'more kernel')}", "dim"))
