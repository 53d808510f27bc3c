"""A bound on the processor time that one file may take, so that no file holds up a tree."""

from __future__ import annotations

import signal
import threading
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
    """A file took longer than it may."""


@contextmanager
def time_limit(path: Path) -> Iterator[None]:
    """Raise OutOfTime where the work in a `with` takes more than SECONDS of processor time.

    Timers are POSIX's, and interrupt the main thread alone: nothing is bounded elsewhere.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and hasattr(signal, "setitimer")):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise OutOfTime(
            f"{path}: took more than {SECONDS:g} s of processor time",
            remedy="split it, or leave it out with --exclude",
        )

    before = signal.signal(signal.SIGVTALRM, stop)
    # Again and again, as an exception is lost where it meets a destructor or a callback.
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def out_of_time(name: str, rules: RuleSet) -> Finding:
    """What reports say of such a file."""
    words = {"seconds": f"{SECONDS:g}"}
    return rules.findings[_FINDING].finding(name, name, Position(1, 1), words=words)
