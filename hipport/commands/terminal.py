"""A run as it is seen at a terminal: faults on stderr, a progress bar for long work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TypeVar

import click

from hipport.errors import printable
from hipport.runs.watch import Watch

_Item = TypeVar("_Item")


def complain(message: str) -> None:
    """Print a fault on one line of stderr."""
    click.echo(f"hipport: {printable(message)}", err=True)


class Terminal(Watch):
    """Prints faults as they come. `long_work` is from how many files on a bar is shown."""

    def __init__(self, long_work: int, *, is_quiet: bool = False) -> None:
        self._long_work = long_work
        self._is_quiet = is_quiet

    def fault(self, message: str) -> None:
        complain(message)

    def progress(self, items: Iterator[_Item], total: int, what: str) -> Iterator[_Item]:
        """The items; on a terminal a progress bar shows how far they are."""
        if self._is_quiet or total < self._long_work or not sys.stderr.isatty():
            yield from items
            return
        from rich.console import Console
        from rich.progress import track

        yield from track(items, what, total, console=Console(stderr=True), transient=True)
