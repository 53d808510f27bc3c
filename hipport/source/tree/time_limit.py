"""Limits the processor time that one file may take, so that no file holds up a tree."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from hipport.errors import HipportError
from hipport.model import Finding, Position
from hipport.rulebook.rules import RuleSet

SECONDS = 120.0
_FINDING = "HP-LIMIT-001"
_AGAIN = 0.2


class OutOfTime(HipportError):
    """A file exceeded its time limit."""


@contextmanager
def time_limit(path: str | Path) -> Iterator[None]:
    """Raise OutOfTime if the `with` block takes more than SECONDS of processor time.

    Uses a POSIX timer, which interrupts only the main thread: elsewhere there is no limit.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise OutOfTime(
            f"{path}: took more than {SECONDS:g} s of processor time",
            remedy="split it, or leave it out with --exclude",
        )

    try:
        before = signal.signal(signal.SIGVTALRM, stop)
    except ValueError:  # Not the main thread: importing `threading` to ask takes longer.
        yield
        return
    # Repeated, because an exception raised in a destructor or a callback is lost.
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def out_of_time(name: str, rules: RuleSet) -> Finding:
    """The finding for a file that exceeded the limit."""
    words = {"seconds": f"{SECONDS:g}"}
    return rules.findings[_FINDING].finding(name, name, Position(1, 1), words=words)
