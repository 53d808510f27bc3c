"""Sources of bytes: every read is checked against the size before it happens."""

from __future__ import annotations

import errno
import os
import stat

from hipport.fatbin.format_error import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 1 << 20
"""Bytes handled at a time where a whole object is not needed in memory."""


class Place:
    """The place of a byte: the file (or decompressed object) and the offset within it."""

    __slots__ = ("label", "offset")

    def __init__(self, label: str, offset: int) -> None:
        self.label = label
        self.offset = offset

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Place):
            return NotImplemented
        return self.label == other.label and self.offset == other.offset

    def __hash__(self) -> int:
        return hash((self.label, self.offset))


class Source:
    """A run of bytes of known size. `read` copies, `view` avoids copying large parts."""

    label: str
    size: int

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes at `offset`; raises FormatError when they are not all there."""
        return bytes(self.view(offset, size))

    def pieces(self) -> Iterator[bytes]:
        """All bytes in order, no more than PIECE at a time."""
        for start in range(0, self.size, PIECE):
            yield self.read(start, min(PIECE, self.size - start))

    def occurrences(self, *texts: bytes) -> Iterator[int]:
        """The offsets at which one of the texts begins, in order."""
        behind = max(map(len, texts)) - 1
        for start in range(0, self.size, PIECE):
            piece = self.head(start, PIECE + behind)
            found = []
            for text in texts:
                at = piece.find(text)
                while 0 <= at < PIECE:
                    found.append(start + at)
                    at = piece.find(text, at + 1)
            yield from sorted(found)

    def view(self, offset: int, size: int) -> memoryview:
        """The same bytes without a copy."""
        raise NotImplementedError

    def head(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes at `offset`: fewer at the end of the source."""
        left = self.size - offset
        if left <= 0 or offset < 0:
            return b""
        return self.read(offset, size if size < left else left)

    def place(self, offset: int) -> Place:
        return Place(self.label, offset)

    def fault(self, offset: int, message: str, *, remedy: str = "") -> FormatError:
        """The error to raise or record for what is at `offset`."""
        place = self.place(offset)
        return FormatError(message, place.label, place.offset, remedy=remedy)

    def check(self, offset: int, size: int) -> None:
        if offset < 0 or size < 0 or offset + size > self.size:
            raise self.fault(
                max(0, min(offset, self.size)),
                f"{size} bytes at {offset:#x} reach past the end ({self.size:#x})",
            )


class FileSource(Source):
    """A file on disk. Headers are read with pread, which maps no pages into this process:
    the kernel maps 64 KiB around every byte touched through mmap, 45 MB for 760 headers."""

    _open = 0
    _most_open = 256

    def __init__(self, path: str, label: str | None = None, opened: int | None = None) -> None:
        self.label = label if label is not None else path
        self.path = path
        """Empty for a temporary file, which has no name."""
        FileSource._make_room()
        # Without O_NONBLOCK opening a named pipe would wait for a writer.
        flags = sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK"))
        self._fd = opened if opened is not None else os.open(path, os.O_RDONLY | flags)
        FileSource._open += 1
        status = os.fstat(self._fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        self.size = status.st_size
        self._map: memoryview | None = None

    def read(self, offset: int, size: int) -> bytes:
        self.check(offset, size)
        if not hasattr(os, "pread"):  # Windows
            return bytes(self.view(offset, size))
        data = os.pread(self._fd, size, offset)
        if len(data) < size:  # a signal, a network file system, or a file cut while we read
            data = self._read_rest(data, offset, size)
        return data

    def _read_rest(self, data: bytes, offset: int, size: int) -> bytes:
        parts, have = [data], len(data)
        while have < size:
            part = os.pread(self._fd, size - have, offset + have)
            if not part:
                raise self.fault(offset + have, "the file became shorter while it was read")
            parts.append(part)
            have += len(part)
        return b"".join(parts)

    def view(self, offset: int, size: int) -> memoryview:
        self.check(offset, size)
        if size == 0:
            return memoryview(b"")
        if self._map is None:
            import mmap

            self._map = memoryview(mmap.mmap(self._fd, 0, access=mmap.ACCESS_READ))
        return self._map[offset : offset + size]

    def fileno(self) -> int:
        return self._fd

    def __del__(self) -> None:
        if hasattr(self, "_fd"):
            os.close(self._fd)
            FileSource._open -= 1

    @classmethod
    def _make_room(cls) -> None:
        """Close files that only reference cycles hold (an error and its traceback): the collector
        may not run before a process has as many files open as it may have, often 1024."""
        if cls._open >= cls._most_open:
            import gc

            gc.collect()
            cls._most_open = max(256, 2 * cls._open)


class MemorySource(Source):
    """Bytes that were decompressed or built in memory. Where they are part of something larger,
    `base` says from which offset on."""

    def __init__(self, data: bytes | memoryview, label: str, base: int = 0) -> None:
        self._data = memoryview(data)
        self._base = base
        self.label = label
        self.size = len(data)

    def place(self, offset: int) -> Place:
        return Place(self.label, self._base + offset)

    def view(self, offset: int, size: int) -> memoryview:
        self.check(offset, size)
        return self._data[offset : offset + size]


class Window(Source):
    """Part of another source; offsets count from `start`, places from the whole. `known` are
    first bytes that were read before."""

    def __init__(
        self,
        parent: Source,
        start: int,
        size: int,
        label: str | None = None,
        known: bytes = b"",
    ) -> None:
        parent.check(start, size)
        self._known = known
        if isinstance(parent, Window) and label is None and not parent.relabelled:
            start, parent = start + parent.start, parent.parent
        self.parent: Source = parent
        self.start: int = start
        self.size = size
        self.relabelled: bool = label is not None
        self.label = label if label is not None else parent.label

    def read(self, offset: int, size: int) -> bytes:
        if 0 <= offset <= offset + size <= len(self._known):
            return self._known[offset : offset + size]
        self.check(offset, size)
        return self.parent.read(self.start + offset, size)

    def view(self, offset: int, size: int) -> memoryview:
        self.check(offset, size)
        return self.parent.view(self.start + offset, size)

    def place(self, offset: int) -> Place:
        if self.relabelled:
            return Place(self.label, offset)
        return self.parent.place(self.start + offset)
