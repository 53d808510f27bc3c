"""Locks a folder itself, with flock(2), where there is that: nothing is written.

filelock does not do this: it locks files that it makes, one holder at a time.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


class FolderLock:
    """A folder, open to be locked."""

    def __init__(self, folder: Path) -> None:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        self._descriptor = os.open(folder, flags)

    def take(self, *, alone: bool) -> bool:
        """Hold the folder, alone or with others that do not; False where another run is there."""
        import fcntl

        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        try:
            fcntl.flock(self._descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def holder(self) -> str:
        """Which process holds the lock, as Linux says: proc_locks(5)."""
        status = os.fstat(self._descriptor)
        device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
        with suppress(OSError, ValueError):
            for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
                fields = line.split()
                if fields[1] == "FLOCK" and fields[5] == f"{device}:{status.st_ino}":
                    return f" (process {fields[4]})"
        return ""

    def close(self) -> None:
        """Close the folder, which frees it."""
        os.close(self._descriptor)
