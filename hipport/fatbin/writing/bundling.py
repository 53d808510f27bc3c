"""Bundles made from code objects, as clang-offload-bundler makes them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from hipport.fatbin.byte_source import Source
from hipport.fatbin.formats import offload_bundle
from hipport.fatbin.formats.compressed_bundle import METHODS
from hipport.zstd import zstd

HOST_ID = "host-x86_64-unknown-linux-gnu-"
ALIGN = 4096
# See formats/compressed_bundle.py.
_HEADERS = {
    1: struct.Struct("<4sHHIQ"),
    2: struct.Struct("<4sHHIIQ"),
    3: struct.Struct("<4sHHQQQ"),
}
Image = tuple[str, Source]
"""Entry ID and content."""


def write_plain(images: list[Image], file: BinaryIO, align: int = ALIGN) -> None:
    """An uncompressed bundle, every image at a multiple of `align`."""
    for piece in _pieces(images, align):
        file.write(piece)


def write_compressed(
    images: list[Image],
    file: BinaryIO,
    align: int = ALIGN,
    version: int = 3,
    method: str = "zstd",
    level: int = 3,
) -> int:
    """A bundle "CCOB" of version 1, 2 or 3 at the file's position, and the bytes it takes; a zstd
    frame states the content's size."""
    header, offsets = _layout(images, align)
    ends = [o + s.size for o, (_, s) in zip(offsets, images, strict=True) if s.size]
    size = max([len(header), *ends])
    layout = _HEADERS[version]
    start = file.tell()
    file.write(bytes(layout.size))
    compressor = _compressor(method, level, size)
    digest = hashlib.md5(usedforsecurity=False)
    total = layout.size
    for piece in _pieces(images, align):
        digest.update(piece)
        total += file.write(compressor.compress(piece))
    total += file.write(compressor.flush())
    value = int.from_bytes(digest.digest()[:8], "little")
    file.seek(start)
    sizes = (size,) if version == 1 else (total, size)
    file.write(layout.pack(b"CCOB", version, METHODS.index(method), *sizes, value))
    file.seek(start + total)
    return total


def _compressor(method: str, level: int, size: int) -> Any:
    if method == "zlib":
        import zlib

        return zlib.compressobj(min(level, 9))
    compressor = zstd().ZstdCompressor(level)
    compressor.set_pledged_input_size(size)
    return compressor


def _layout(images: list[Image], align: int) -> tuple[bytes, list[int]]:
    return offload_bundle.layout([(entry_id, source.size) for entry_id, source in images], align)


def _pieces(images: list[Image], align: int) -> Iterator[bytes]:
    header, offsets = _layout(images, align)
    yield header
    position = len(header)
    for offset, (_, source) in zip(offsets, images, strict=True):
        if source.size == 0:
            continue  # an empty entry has an offset but needs no room
        yield bytes(offset - position)
        yield from source.pieces()
        position = offset + source.size
