"""Locks files in place of a folder, with filelock, where folders cannot be locked.

filelock's locks have one holder at a time. A folder therefore has many of them: an exclusive
holder takes all, and a shared one takes any.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

_PLACES = 64
"""As many runs can share a folder."""


class FileLocks:
    """The files that are locked for a folder; all runs on a machine make the same of it."""

    def __init__(self, folder: Path) -> None:
        place = Path(tempfile.gettempdir()) / "hipport-locks"
        place.mkdir(exist_ok=True)
        name = hashlib.sha256(os.fsencode(os.path.normcase(folder))).hexdigest()
        self._all = [FileLock(place / f"{name}.{number}") for number in range(_PLACES)]

    def take(self, *, alone: bool) -> bool:
        """Hold the folder, alone or with others that do not; False where another run is there."""
        if alone:
            return all(each.is_locked or _take(each) for each in self._all)
        # Runs that begin with different places seldom find one taken.
        first = os.getpid() % _PLACES
        return any(map(_take, self._all[first:] + self._all[:first]))

    def holder(self) -> str:
        """Nothing: the system does not say which process holds a file."""
        return ""

    def close(self) -> None:
        """Free the files."""
        for each in self._all:
            each.release()


def _take(lock: FileLock) -> bool:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    return True
