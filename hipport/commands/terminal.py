"""A run as it is seen at a terminal: faults on stderr, a progress bar for long work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import TextIOWrapper
from typing import TypeVar

from hipport.errors import printable
from hipport.runs.watch import Watch

_Item = TypeVar("_Item")


def say(message: str) -> None:
    """Print a line on stderr."""
    print(message, file=sys.stderr, flush=True)


def show(line: str) -> None:
    """Print a line on stdout; what its encoding lacks is escaped."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    print(line, flush=True)


def complain(message: str) -> None:
    """Print a fault on one line of stderr."""
    say(f"hipport: {printable(message)}")


class Terminal(Watch):
    """Prints faults as they come. `long_work` is from how many files on a bar is shown."""

    def __init__(self, long_work: int, *, is_quiet: bool = False) -> None:
        self._long_work = long_work
        self._is_quiet = is_quiet
        self._done = self._total = 0

    def fault(self, message: str) -> None:
        complain(message)

    def note(self, message: str) -> None:
        complain(f"warning: {message}")

    def progress(self, items: Iterator[_Item], total: int, what: str) -> Iterator[_Item]:
        """The items; on a terminal a progress bar shows how far they are."""
        self._total = total
        yield from self._shown(self._counted(items), total, what)

    def interrupted(self, *, goes_on: bool) -> None:
        """Say how far an interrupted run came, and that it can go on where it does."""
        if sys.stderr.isatty():
            say("")  # Ends the line of the ^C.
        if self._total:
            hint = "; the same command goes on from there" if goes_on else ""
            complain(f"{self._done:,} of {self._total:,} files were done{hint}")

    def _counted(self, items: Iterator[_Item]) -> Iterator[_Item]:
        self._done = 0
        for item in items:
            yield item
            self._done += 1

    def _shown(self, items: Iterator[_Item], total: int, what: str) -> Iterator[_Item]:
        if self._is_quiet or total < self._long_work or not sys.stderr.isatty():
            yield from items
            return
        from rich.console import Console
        from rich.progress import track

        yield from track(items, what, total, console=Console(stderr=True), transient=True)
