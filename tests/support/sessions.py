"""Waits for what a killed run leaves behind: its processes still end, and hold its lock so long."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest

_ENDED = ("Z", "X")


def wait_for_session(session: int) -> None:
    """Return once every process of a session has ended; fail after 30 seconds."""
    for _ in range(3000):
        if not _is_alive(session):
            return
        time.sleep(0.01)
    pytest.fail(f"processes of session {session} were left behind")


def _is_alive(session: int) -> bool:
    """Whether a thread of the session still runs: proc_pid_stat(5).

    A process is shown as a zombie when its first thread has ended, but its files stay open, and
    locked, until the last one has; that one gives back the memory before.
    """
    for process in Path("/proc").glob("[0-9]*"):
        threads: list[Path] = []
        with suppress(OSError):  # it may end while it is looked at
            threads = list((process / "task").iterdir())
        for thread in threads:
            with suppress(OSError):
                state, _, _, found = (thread / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(found) == session and state not in _ENDED:
                    return True
    return False
