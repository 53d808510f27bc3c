"""The summary of a conversion for a person at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hipport.errors import printable
from hipport.model import Report, Severity
from hipport.report.closing import Ending, headline_parts, steps
from hipport.report.context import Context, count
from hipport.report.places import STYLES, print_kinds
from hipport.report.summary import kinds

_FILES = 5


def write(report: Report, console: Console, context: Context, ending: Ending) -> None:
    """Print files and edits, coverage by library, the findings by kind and file, what is next."""
    for line in _headline(report, console, ending):
        console.print(line, soft_wrap=True)
    if report.uses:
        console.print()
        console.print(_libraries(report))
    console.print()
    if report.findings:
        _print_findings(report, console, context)
    else:
        console.print(Text("Nothing is left to do by hand.", "green"))
    if ending.why:
        console.print()
        console.print(Text(ending.why, "bold"), soft_wrap=True)
    for step in steps(ending):
        console.print(Text(step), soft_wrap=True)


def _headline(report: Report, console: Console, ending: Ending) -> Iterator[Text]:
    """The headline, broken where the next of its parts would not fit."""
    line, *parts = headline_parts(report, ending)
    lines = []
    for part in parts:
        if cell_len(f"{line}; {part}") < console.width:
            line = f"{line}; {part}"
        else:
            lines.append(f"{line};")
            line = part
    lines.append(line)
    first, separator, rest = lines[0].partition(":")
    yield Text.assemble((first, "bold"), separator, rest)
    yield from map(Text, lines[1:])


def _print_findings(report: Report, console: Console, context: Context) -> None:
    severities = Counter(finding.severity for finding in report.findings)
    line = Text.assemble((count(len(report.findings), "finding"), "bold"), ": ")
    counts = [
        Text(f"{severities[each]:,} {each.word}", STYLES[each])
        for each in sorted(severities, reverse=True)
    ]
    console.print(line.append(Text(", ").join(counts)))
    print_kinds(kinds(report.findings, context), report.findings, console, context.file_of)
    worst = Counter(f.path for f in report.findings if f.severity >= Severity.MANUAL)
    if len(worst) > 1:
        console.print()
        console.print(_files(worst))


def _libraries(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("API")
    for title in ("uses", "mapped", "share"):
        table.add_column(title, justify="right")
    for library, (mapped, uses) in sorted(report.uses.items(), key=lambda item: -item[1][1]):
        share = 100 * mapped // uses
        style = "" if share == 100 else "yellow"
        table.add_row(library, f"{uses:,}", f"{mapped:,}", f"{share} %", style=style)
    return table


def _files(worst: Counter[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("manual or worse", justify="right", no_wrap=True)
    table.add_column("most to do in", overflow="fold")
    for path, number in worst.most_common(_FILES):
        table.add_row(f"{number:,}", Text(printable(path)))
    return table
