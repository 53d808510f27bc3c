"""The summary of a run for a person at a terminal."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hipport.model import Report, Severity

_STYLES = {
    Severity.BLOCKER: "bold red",
    Severity.MANUAL: "yellow",
    Severity.REVIEW: "cyan",
    Severity.INFO: "dim",
}
_LISTED = 10


def write(report: Report, console: Console) -> None:
    """Print files, edits, coverage per library, the worst files and the worst findings."""
    statuses = Counter(file.status for file in report.files)
    edits = sum(file.edits for file in report.files)
    parts = [f"{statuses[each]} {each}" for each in statuses if statuses[each]]
    console.print(f"[bold]{len(report.files)} files[/]: {', '.join(parts)}; {edits} edits")
    if report.uses:
        console.print(_libraries(report))
    if not report.findings:
        console.print("[green]Nothing was left behind.[/]")
        return
    severities = Counter(finding.severity for finding in report.findings)
    console.print(
        "Findings: "
        + ", ".join(
            f"[{_STYLES[each]}]{severities[each]} {each.word}[/]"
            for each in sorted(Severity, reverse=True)
            if severities[each]
        )
    )
    worst = Counter(f.path for f in report.findings if f.severity >= Severity.MANUAL)
    if len(worst) > 1:
        listed = ", ".join(f"{escape(path)} ({count})" for path, count in worst.most_common(5))
        console.print(f"Most to do in: {listed}")
    ranked = sorted(report.findings, key=lambda f: (-f.severity, f.path, f.start))
    for finding in ranked[:_LISTED]:
        console.print(
            f"  {escape(finding.path)}:{finding.start.line}:{finding.start.column} "
            f"[{_STYLES[finding.severity]}]{finding.severity.word}[/] {finding.code} "
            f"{escape(finding.message)}",
            soft_wrap=True,
            highlight=False,
        )
    if len(ranked) > _LISTED:
        console.print(f"  … and {len(ranked) - _LISTED} more: --report FILE.json has them all")


def _libraries(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("API")
    table.add_column("uses", justify="right")
    table.add_column("mapped", justify="right")
    for library, (mapped, uses) in sorted(report.uses.items(), key=lambda item: -item[1][1]):
        share = 100 * mapped // uses
        table.add_row(library, str(uses), f"{share} %", style="" if share == 100 else "yellow")
    return table
