"""Which exit code a run ends with, and why."""

from __future__ import annotations

from hipport.model import Report, Severity
from hipport.named_tuples import NamedTuple


class Exit(NamedTuple):
    """0: success; 1: something was found; 2: a fault. `why` is "" for 0."""

    code: int
    why: str = ""


def exit_of_findings(report: Report, fail_on: Severity | None, faults: int = 0) -> Exit:
    """The exit code for a report; `faults` counts the files and folders that failed."""
    if faults:
        files = _number(faults, "file or folder", "files or folders")
        return Exit(2, f"{files} could not be read or written as asked")
    if fail_on is None:
        return Exit(0)
    number = sum(each.severity >= fail_on for each in report.findings)
    if not number:
        return Exit(0)
    worse = "" if fail_on == Severity.BLOCKER else " or worse"
    verb = "is" if number == 1 else "are"
    return Exit(1, f"{_number(number, 'finding', 'findings')} {verb} {fail_on.word}{worse}")


def exit_of_conversion(
    report: Report, faults: int, fail_on: Severity | None, *, writes: bool, fails_on_change: bool
) -> Exit:
    """The exit code of a conversion, which may fail because a file changed, or would change."""
    failed = sum(file.status == "failed" for file in report.files)
    if faults or failed:
        return exit_of_findings(report, fail_on, max(faults, failed))
    changed = sum(file.status == "converted" for file in report.files)
    if fails_on_change and changed:
        verb = ("was" if changed == 1 else "were") + " converted" if writes else "would change"
        return Exit(1, f"{_number(changed, 'file', 'files')} {verb}")
    return exit_of_findings(report, fail_on)


def _number(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
