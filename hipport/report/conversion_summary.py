"""The summary of a run for a person at a terminal."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hipport.errors import printable
from hipport.model import Finding, Report, Severity

STYLES = {
    Severity.BLOCKER: "bold red",
    Severity.MANUAL: "yellow",
    Severity.REVIEW: "cyan",
    Severity.INFO: "dim",
}
_KINDS = 8
_PLACES = 3
_FILES = 5
_INDENT = 15


def write(
    report: Report, console: Console, *, where: str, file: str, titles: Mapping[str, str]
) -> None:
    """Print files and edits, coverage per library, and the findings by kind and by file.

    `where` is the place that the result went to and `file` that of the report, "" for none;
    `titles` says what a finding's code means.
    """
    statuses = Counter(file.status for file in report.files)
    parts = [f"{count} {status}" for status, count in statuses.most_common()]
    edits = sum(file.edits for file in report.files)
    line = Text.assemble((_count(len(report.files), "file"), "bold"), f": {', '.join(parts)}; ")
    line.append(_count(edits, "edit"))
    console.print(line.append(f"; result in {printable(where)}" if where else ""))
    if report.uses:
        console.print()
        console.print(_libraries(report))
    console.print()
    if not report.findings:
        console.print(Text("Nothing is left to do by hand.", "green"))
        return
    severities = Counter(finding.severity for finding in report.findings)
    line = Text.assemble((_count(len(report.findings), "finding"), "bold"), ": ")
    counts = [
        Text(f"{severities[each]} {each.word}", STYLES[each])
        for each in sorted(severities, reverse=True)
    ]
    console.print(line.append(Text(", ").join(counts)))
    _print_kinds(report, console, titles)
    worst = Counter(f.path for f in report.findings if f.severity >= Severity.MANUAL)
    if len(worst) > 1:
        console.print()
        console.print(_files(worst))
    console.print()
    hint = f"{printable(file)} has" if file else "--report FILE.json writes"
    console.print(Text(f"{hint} all of them, with what to do.", "dim"))


def _print_kinds(report: Report, console: Console, titles: Mapping[str, str]) -> None:
    """One line a code, the worst first, and below it where the first of them are."""
    numbers: Counter[tuple[Severity, str]] = Counter()
    first: dict[tuple[Severity, str], list[Finding]] = defaultdict(list)
    for finding in report.findings:
        kind = (finding.severity, finding.code)
        numbers[kind] += 1
        if numbers[kind] <= _PLACES:
            first[kind].append(finding)
    ranked = sorted(numbers, key=lambda kind: (-kind[0], -numbers[kind], kind[1]))
    for kind in ranked[:_KINDS]:
        severity, code = kind
        console.print(
            Text.assemble(
                (f"{severity.word:<8}", STYLES[severity]),
                f"{numbers[kind]:>5}  {code:<12} ",
                titles.get(code, printable(first[kind][0].message)),
            )
        )
        places = _places(first[kind], numbers[kind], console.width - _INDENT - 2)
        console.print(Text(" " * _INDENT + places, "dim"), no_wrap=True)
    if len(ranked) > _KINDS:
        console.print(Text(f"… and {_count(len(ranked) - _KINDS, 'more kind')}", "dim"))


def _places(found: list[Finding], number: int, width: int) -> str:
    """The first places of a finding, as many as fit; each file is named once."""
    text = _place(found[0])
    text = text if len(text) <= width else f"…{text[1 - width :]}"
    shown = 1
    for before, finding in pairwise(found):
        is_same = finding.path == before.path
        longer = f"{text}, {finding.start.line}" if is_same else f"{text}  {_place(finding)}"
        if len(longer) > width:
            break
        text, shown = longer, shown + 1
    return text if shown == number else f"{text} …"


def _place(finding: Finding) -> str:
    return f"{printable(finding.path)}:{finding.start.line}"


def _libraries(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("API")
    for title in ("uses", "mapped", "share"):
        table.add_column(title, justify="right")
    for library, (mapped, uses) in sorted(report.uses.items(), key=lambda item: -item[1][1]):
        share = 100 * mapped // uses
        style = "" if share == 100 else "yellow"
        table.add_row(library, str(uses), str(mapped), f"{share} %", style=style)
    return table


def _files(worst: Counter[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("most to do in", overflow="fold")
    table.add_column("manual or worse", justify="right")
    for path, count in worst.most_common(_FILES):
        table.add_row(Text(printable(path)), str(count))
    return table


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
