"""The audit's result for a person at a terminal: what to do first, where, and how far it is."""

from __future__ import annotations

from collections import Counter
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hipport.errors import printable
from hipport.model import Finding, Report
from hipport.report.context import Context, count
from hipport.report.effort import Effort, duration, effort_of, in_words
from hipport.report.places import STYLES, link_to, print_kinds
from hipport.report.summary import (
    busy_folder,
    found_in,
    hot_files,
    kinds,
    libraries,
    unread_by_reason,
    unread_counts,
    work,
)

_FILES = 5
_LIBRARIES = 6
_UNREAD = 5


def write(report: Report, out: TextIO, context: Context) -> None:
    """Print one screen: the counts, the worst kinds with what to do, the hot files, coverage."""
    console = Console(file=out, highlight=False)
    effort = effort_of(report)
    console.print(_headline(report, effort))
    ranked = kinds(filter(_needs_person, report.findings), context)
    if ranked:
        console.print()
        print_kinds(ranked, filter(_needs_person, report.findings), console, context.file_of)
    if busy := busy_folder(report):
        console.print(Text(f"\n{printable(busy)}"), soft_wrap=True)
    files = hot_files(report, effort)
    if files:
        console.print()
        _print_files(files, effort, console, context)
        _print_more(console, len(files) - _FILES)
    if report.uses:
        console.print()
        console.print(_libraries(report))
        _print_more(console, len(report.uses) - _LIBRARIES)
    if unread_counts(report):
        console.print()
        _print_unread(report, console)
    if report.findings:
        console.print()
        hint = "hipport audit explain CODE says more; --report todo.html has every finding."
        console.print(Text(hint, "dim"), soft_wrap=True)


def _needs_person(finding: Finding) -> bool:
    return finding.needs_person


def _headline(report: Report, effort: Effort) -> Text:
    numbers = Counter(each.severity for each in report.findings)
    total = work(report) or count(len(report.findings), "finding")
    line = Text(total, "bold").append("\nFound" if work(report) else "")
    line.append(f" in {found_in(report)}")
    for index, each in enumerate(sorted(numbers, reverse=True)):
        line.append(", " if index else ": ")
        line.append(f"{numbers[each]:,} {each.word}", STYLES[each])
    if report.command != "verify":  # Which sees errors, not what a port has to do.
        line.append("\nPortability ").append(f"{effort.score} %", "bold")
        line.append(f", {in_words(effort)}" if in_words(effort) else "")
    return line


def _print_more(console: Console, number: int) -> None:
    if number > 0:
        console.print(Text(f"… {number:,} more", "dim"))


def _table(*columns: str) -> Table:
    """A table of numbers, and a text in its last column."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns[:-1]:
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column(columns[-1], overflow="fold")
    return table


def _print_files(
    files: list[tuple[str, int]], effort: Effort, console: Console, context: Context
) -> None:
    """Lines, not a table: that would cut a long path, which then cannot be clicked any more."""
    console.print(Text(f"findings  {'effort':>10}  most to do in", "dim"))
    for path, number in files[:_FILES]:
        line = Text(f"{number:>8,}  {duration(effort.by_file[path]):>10}  ")
        line.append(printable(path), link_to(context.file_of(path)))
        console.print(line, soft_wrap=True)


def _libraries(report: Report) -> Table:
    table = _table("uses", "renamed by rule", "library")
    for library, mapped, uses in libraries(report)[:_LIBRARIES]:
        share = f"{100 * mapped // max(uses, 1)} %"
        style = "" if mapped == uses else "yellow"
        table.add_row(f"{uses:,}", share, Text(printable(library)), style=style)
    return table


def _print_unread(report: Report, console: Console) -> None:
    console.print(Text(f"{unread_counts(report)}:", "yellow"))
    groups = unread_by_reason(report)
    for each in groups[:_UNREAD]:
        console.print(Text(printable(f"  {each.where}: {each.reason}"), "dim"), soft_wrap=True)
    _print_more(console, len(groups) - _UNREAD)
