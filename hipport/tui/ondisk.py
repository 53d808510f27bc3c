"""Files that may change while they are open."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hipport.errors import HipportError, os_error
from hipport.fatbin.binary import Binary
from hipport.fatbin.byte_source import FileSource
from hipport.fatbin.limits import Limits
from hipport.fatbin.reader import open_source, regular_files

_CHUNK = 16 << 20


class CopyingFile(FileSource):
    """A file whose views are copies: if another process truncates the file, a mapped page ends the
    process (SIGBUS), while a read only fails."""

    def view(self, offset: int, size: int) -> memoryview:
        return memoryview(self.read(offset, size))

    def read(self, offset: int, size: int) -> bytes:
        if size <= _CHUNK:
            return super().read(offset, size)
        self.check(offset, size)
        data = bytearray()
        while len(data) < size:
            data += super().read(offset + len(data), min(_CHUNK, size - len(data)))
        return bytes(data)


Stamp = tuple[int, int, int]
"""The values that change with a file: inode, size, time of change."""


def stamp(path: str) -> Stamp | None:
    """None if there is no such file."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def files_below(path: str, limits: Limits) -> Iterator[str]:
    """The path itself, or the regular files of a folder by name; links are not followed."""
    if not os.path.isdir(path):  # noqa: PTH112
        yield path
        return
    yield from regular_files(path, limits)


def binaries_in(path: str, limits: Limits, named: bool) -> Iterator[Binary]:
    """The binaries of one file. For a file that the user did not name, only those with something
    to show."""
    try:
        source = CopyingFile(path)
    except OSError as error:
        raise os_error(path, "cannot read", error) from None
    for binary in open_source(source, path, limits, 0 if named else 1):
        if named or binary.bundles or binary.remarks or any(binary.all_faults()):
            yield binary


def reason(error: Exception) -> str:
    """The problem, in one line."""
    if isinstance(error, HipportError):
        return str(error)
    return f"internal error: {type(error).__name__}: {error}"
