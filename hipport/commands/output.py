"""Where a report goes, in which format, and what makes a command fail: the same everywhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hipport.commands.terminal import say
from hipport.errors import printable
from hipport.named_tuples import NamedTuple
from hipport.report.formats import format_of, write, write_file

if TYPE_CHECKING:
    from hipport.model import Report, Severity
    from hipport.report.context import Context
    from hipport.runs.exit_code import Exit

_STDOUT = Path("-")
LEVELS = ("blocker", "manual", "review", "info", "never")
"""From which severity on a finding fails a command, in words."""


class Output(NamedTuple):
    """What was asked for. `path` is None for standard output, `format` None for the best there."""

    path: Path | None
    format: str | None
    fail_on: Severity | None
    """From which severity on a finding fails the command; None for never."""

    @classmethod
    def of(cls, path: Path | None, format: str | None, fail_on: str) -> Output:
        """Raises UsageError for a file whose ending names no format."""
        from hipport.model import Severity

        level = None if fail_on == "never" else Severity.parse(fail_on)
        if not path or path == _STDOUT:
            return cls(None, format, level)
        return cls(path, format_of(path, format), level)

    def write(self, report: Report, context: Context) -> None:
        """Write the report where it is to go."""
        if self.path:
            write_file(report, self.path, self.format or "text", context)
            return
        chosen = self.format or ("rich" if sys.stdout.isatty() else "text")
        if chosen != "rich" and hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        write(report, sys.stdout, chosen, context)


def finish(report: Report, context: Context, output: Output, faults: int = 0) -> int:
    """Write the report; the exit code: 0, 1 (findings), 2 (faults, as many as are not forgiven)."""
    from hipport.runs.exit_code import exit_of_findings

    output.write(report, context)
    if output.path:
        from hipport.report.summary import counts, work

        say(f"{work(report) or counts(report)}; report in {printable(str(output.path))}")
    return end(exit_of_findings(report, context.fail_on, faults))


def end(exit: Exit) -> int:
    """The exit code; stderr says why it is not 0."""
    if exit.why:
        say(f"exit code {exit.code}: {exit.why}")
    return exit.code
