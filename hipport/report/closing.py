"""How a conversion ends on stderr: what was done, what is left, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hipport.errors import printable
from hipport.model import Report
from hipport.named_tuples import NamedTuple
from hipport.report.context import count


class Ending(NamedTuple):
    """What the end of a conversion says besides its report."""

    where: str = ""
    """The file or folder of the result; "" where the sources were changed, or nothing written."""
    is_in_place: bool = False
    report_file: Path | None = None
    """The report that was written."""
    next: tuple[tuple[str, str], ...] = ()
    """Commands to run next, and what each is for."""
    why: str = ""
    """Why the exit code is not 0."""


def plain_lines(report: Report, ending: Ending) -> Iterator[str]:
    """The lines for a log."""
    yield headline(report, ending)
    if report.findings:
        yield severities(report)
    if ending.why:
        yield ending.why
    yield from steps(ending)


def headline(report: Report, ending: Ending) -> str:
    """`3 files: 1 converted, 2 copied; 2 edits; result in src_hip`."""
    return "; ".join(headline_parts(report, ending))


def headline_parts(report: Report, ending: Ending) -> Iterator[str]:
    """What the headline says, each to be kept on one line."""
    statuses = Counter(file.status for file in report.files)
    parts = [f"{number:,} {status}" for status, number in statuses.most_common()]
    yield f"{count(len(report.files), 'file')}: {', '.join(parts)}"
    yield count(sum(file.edits for file in report.files), "edit")
    if ending.where:
        yield f"result in {printable(ending.where)}"
    if ending.is_in_place:
        yield "changed in place"
    if ending.report_file:
        yield f"report in {printable(str(ending.report_file))}"


def severities(report: Report) -> str:
    """`7 findings: 1 blocker, 6 manual`."""
    found = Counter(finding.severity for finding in report.findings)
    parts = [f"{found[each]:,} {each.word}" for each in sorted(found, reverse=True)]
    return f"{count(len(report.findings), 'finding')}: {', '.join(parts)}"


def steps(ending: Ending) -> Iterator[str]:
    """`next: COMMAND  # what for`, the commands below each other."""
    widest = max((len(command) for command, _ in ending.next), default=0)
    for number, (command, purpose) in enumerate(ending.next):
        start = "      " if number else "next: "
        yield f"{start}{printable(command):<{min(widest, 60)}}  # {purpose}"


def next_steps(
    arguments: list[str],
    paths: tuple[str, ...],
    where: str,
    report: Report,
    *,
    has_report: bool,
    writes: bool,
    is_verified: bool,
) -> tuple[tuple[str, str], ...]:
    """What to do after a conversion that was called with these arguments."""
    import shlex

    found = []
    arguments = [each for each in arguments if each not in ("--diff", "--check")]
    changed = any(file.status == "converted" for file in report.files)
    if report.findings and not has_report:
        again = ["hipport", "convert", "--report", "todo.html"]
        # In place, a second conversion finds nothing of CUDA any more; the audit still does.
        audit = ["hipport", "audit", "--report", "todo.html", *paths]
        command = again + arguments if where or not writes else audit
        found.append((shlex.join(command), "each finding, with what to do"))
    if writes and changed and not is_verified:
        if not where:
            found.append((shlex.join(["hipport", "verify", *paths]), "does it compile"))
        elif len(paths) == 1:
            verify = ["hipport", "verify", "--original", paths[0], where]
            found.append((shlex.join(verify), "does it compile"))
    return tuple(found)
