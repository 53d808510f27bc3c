"""Keeps two runs from writing into one tree: folders are locked while a run writes there.

The system drops a lock with the last process that holds it, however it ends: none is ever stale,
and nothing is written for it. flock(2) takes folders; where a file system knows no such locks, as
some network file systems, runs are not told of each other.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from hipport.errors import HipportError

_MOST_SHARED = 256
"""Each lock takes a descriptor, of which a process may have 1,024 by default."""


class Locks:
    """The folders that this run holds; a context that ends with them free."""

    def __init__(self) -> None:
        self._held: dict[Path, tuple[int, int]] = {}
        """Folder -> its descriptor and the kind of the lock."""

    def __enter__(self) -> Locks:
        return self

    def __exit__(self, *error: object) -> None:
        for descriptor, _ in self._held.values():
            os.close(descriptor)

    def hold(self, trees: Iterable[Path], folders: Iterable[Path]) -> None:
        """Hold the trees for this run alone; the folders, and all above, against such a hold.

        Runs that write single files do not hinder each other. Raises HipportError at once where
        another run is in the way. A folder that is not there, or not readable, is passed over.
        """
        alone = {path.resolve() for path in trees}
        others = {path.resolve() for path in folders}
        shared = {each for path in alone | others for each in (path, *path.parents)} - alone
        kinds = [*((each, fcntl.LOCK_EX) for each in sorted(alone))]
        kinds += ((each, fcntl.LOCK_SH) for each in sorted(shared)[:_MOST_SHARED])
        for path, kind in kinds:
            with suppress(OSError):
                self._lock(path, kind)

    def is_alone(self, folder: Path) -> bool:
        """Whether no other run that locks its folders writes there."""
        folder = folder.resolve()
        kinds = (self._held.get(each, (0, 0))[1] for each in (folder, *folder.parents))
        return fcntl.LOCK_EX in kinds

    def _lock(self, folder: Path, kind: int) -> None:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        descriptor, had = self._held.get(folder) or (os.open(folder, flags), 0)
        self._held[folder] = descriptor, had or kind
        if had in (kind, fcntl.LOCK_EX):
            return
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HipportError(
                f"{folder}: another run{_holder(descriptor)} is at work in this folder",
                remedy="run again when it has ended, or stop it",
            ) from error
        self._held[folder] = descriptor, kind


def _holder(descriptor: int) -> str:
    """Which process holds the lock, as Linux tells: proc_locks(5)."""
    status = os.fstat(descriptor)
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    with suppress(OSError, ValueError):
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            fields = line.split()
            if fields[1] == "FLOCK" and fields[5] == f"{device}:{status.st_ino}":
                return f" (process {fields[4]})"
    return ""
