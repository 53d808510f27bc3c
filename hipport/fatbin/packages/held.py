"""Decompressed members: in memory as far as the limit allows, then in a temporary file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from typing import BinaryIO

from hipport.errors import os_error
from hipport.fatbin.byte_source import FileSource, MemorySource, Source
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import RAISE_LIMIT, Limits


def hold(pieces: Iterable[bytes], limits: Limits, label: str) -> Source:
    """All the pieces as one source. Raises FormatError for more than `limits.max_stream` bytes,
    HipportError where the disk is full."""
    content, size = bytearray(), 0
    file: BinaryIO | None = None
    for piece in pieces:
        size += len(piece)
        if size > limits.max_stream:
            what = f"more than {limits.max_stream} bytes decompressed"
            raise FormatError(what, label, 0, remedy=RAISE_LIMIT)
        if size <= limits.max_size:
            content += piece
            continue
        try:
            if file is None:
                file = tempfile.TemporaryFile(prefix="hipport-")  # noqa: SIM115
                file.write(content)
                content.clear()
            file.write(piece)
        except OSError as error:
            raise os_error(tempfile.gettempdir(), f"cannot keep {label} there", error) from None
    if file is None:
        return MemorySource(memoryview(content).toreadonly(), label)
    with file:
        file.flush()
        return _Spilled(file, label)


class _Spilled(FileSource):
    """A temporary file without a name, which disappears when nothing refers to it."""

    def __init__(self, file: BinaryIO, label: str) -> None:
        super().__init__("", label, os.dup(file.fileno()))
