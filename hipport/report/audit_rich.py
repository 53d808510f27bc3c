"""The audit's result for a person at a terminal: tables by severity, kind, file and library."""

from __future__ import annotations

from collections import Counter
from typing import TextIO

from rich.bar import Bar
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hipport.errors import printable
from hipport.model import Report, Severity
from hipport.report.context import Context, count
from hipport.report.effort import Effort, duration, effort_of

_STYLES = {
    Severity.BLOCKER: "bold red",
    Severity.MANUAL: "yellow",
    Severity.REVIEW: "cyan",
    Severity.INFO: "dim",
}
_KINDS = 15
_FILES = 10
_BAR = 20


def write(report: Report, out: TextIO, context: Context) -> None:
    """Print the tables, as wide as the terminal."""
    console = Console(file=out, highlight=False)
    effort = effort_of(report)
    found = count(len(report.findings), "finding")
    line = Text.assemble((found, "bold"), f" in {count(len(report.files), 'file')}; portability ")
    console.print(line.append(f"{effort.score} %", "bold"), soft_wrap=True)
    if report.findings:
        for table in (_severities(report, effort), _kinds(report, context), _files(report, effort)):
            console.print()
            console.print(table)
    if report.uses:
        console.print()
        console.print(_libraries(report))


def _table(*columns: str) -> Table:
    """A table whose first column is text, the others numbers."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _severities(report: Report, effort: Effort) -> Table:
    table = _table("severity", "findings", "effort")
    numbers = Counter(each.severity for each in report.findings)
    for each in sorted(numbers, reverse=True):
        minutes = duration(effort.by_severity[each])
        table.add_row(Text(each.word, _STYLES[each]), f"{numbers[each]:,}", minutes)
    return table


def _kinds(report: Report, context: Context) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("code", "", "what"):
        table.add_column(column, justify="right" if not column else "left")
    kinds = Counter((each.severity, each.code) for each in report.findings)
    examples = {(each.severity, each.code): each for each in report.findings}
    ranked = sorted(kinds.items(), key=lambda item: (-item[0][0], -item[1], item[0][1]))
    for kind, number in ranked[:_KINDS]:
        title = printable(context.title(examples[kind]))
        table.add_row(Text(printable(kind[1]), _STYLES[kind[0]]), f"{number:,}", Text(title))
    if len(ranked) > _KINDS:
        table.add_row(Text(f"… {len(ranked) - _KINDS} more", "dim"))
    return table


def _files(report: Report, effort: Effort) -> Table:
    table = _table("most to do in", "findings", "effort")
    numbers = Counter(each.path for each in report.findings)
    ranked = sorted(numbers, key=lambda path: (-effort.by_file[path], -numbers[path], path))
    for path in ranked[:_FILES]:
        name = Text(printable(path))
        table.add_row(name, f"{numbers[path]:,}", duration(effort.by_file[path]))
    if len(ranked) > _FILES:
        table.add_row(Text(f"… {len(ranked) - _FILES:,} more", "dim"))
    return table


def _libraries(report: Report) -> Table:
    table = _table("library", "uses", "mapped")
    table.add_column("coverage", width=_BAR, no_wrap=True)
    for library, (mapped, uses) in sorted(report.uses.items(), key=lambda item: -item[1][1]):
        color = "green" if mapped == uses else "yellow"
        bar = Bar(max(uses, 1), 0, mapped, width=_BAR, color=color, bgcolor="bright_black")
        table.add_row(
            Text(printable(library)), f"{uses:,}", f"{100 * mapped // max(uses, 1)} %", bar
        )
    return table
