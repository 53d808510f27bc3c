"""Keeps two runs from writing into one tree: folders are locked while a run writes there.

The system drops a lock with the last process that holds it, however it ends: none is ever stale.
Where folders themselves can be locked, nothing is written for it; elsewhere, as on Windows, files
in the folder for temporary files are locked in their place. A folder that cannot be locked, as on
some network file systems, is not protected.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from hipport.errors import HipportError
from hipport.named_tuples import NamedTuple

_MOST_SHARED = 256
"""Each lock takes a descriptor, of which a process may have 1,024 by default."""


class Lock(Protocol):
    """A folder to be locked. What fails for another reason than a lock raises OSError."""

    def take(self, *, alone: bool) -> bool:
        """Hold it, alone or with others that do not; False where another run is in the way."""

    def holder(self) -> str:
        """` (process 123)` about the run in the way, "" where the system does not say."""

    def close(self) -> None:
        """Let go of it."""


class _Held(NamedTuple):
    lock: Lock
    alone: bool


class Locks:
    """The folders that this run holds; a context that ends with them free."""

    def __init__(self) -> None:
        self._held: dict[Path, _Held] = {}

    def __enter__(self) -> Locks:
        return self

    def __exit__(self, *error: object) -> None:
        for held in self._held.values():
            held.lock.close()

    def hold(self, trees: Iterable[Path], folders: Iterable[Path]) -> None:
        """Hold the trees for this run alone; the folders, and all above, against such a hold.

        Runs that write single files do not hinder each other. Raises HipportError at once where
        another run is in the way. A folder that is not there, or not readable, is passed over.
        """
        alone = {path.resolve() for path in trees}
        others = {path.resolve() for path in folders}
        shared = {each for path in alone | others for each in (path, *path.parents)} - alone
        for path in sorted(alone):
            self._hold(path, alone=True)
        for path in sorted(shared)[:_MOST_SHARED]:
            self._hold(path, alone=False)

    def is_alone(self, folder: Path) -> bool:
        """Whether no other run that locks its folders writes there."""
        folder = folder.resolve()
        return any(
            self._held[each].alone for each in (folder, *folder.parents) if each in self._held
        )

    def _hold(self, folder: Path, *, alone: bool) -> None:
        held = self._held.get(folder)
        if held and (held.alone or not alone):
            return
        with suppress(OSError):
            lock = held.lock if held else _lock(folder)
            # Noted before it is taken: what no file system can lock, this run has for itself.
            self._held[folder] = held or _Held(lock, alone)
            if not lock.take(alone=alone):
                raise HipportError(
                    f"{folder}: another run{lock.holder()} is at work in this folder",
                    remedy="run again when it has ended, or stop it",
                )
            self._held[folder] = _Held(lock, alone)


def _lock(folder: Path) -> Lock:
    """The kind of lock that this system has."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        from hipport.locking.lock_files import FileLocks

        return FileLocks(folder)
    from hipport.locking.lock_folders import FolderLock

    return FolderLock(folder)
