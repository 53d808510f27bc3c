"""Bundles made from code objects, as clang-offload-bundler makes them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from typing import BinaryIO

from hipport.fatbin.byte_source import PIECE, Source
from hipport.fatbin.compression import zstd
from hipport.fatbin.formats import offload_bundle

HOST_ID = "host-x86_64-unknown-linux-gnu-"
ALIGN = 4096
Image = tuple[str, Source]
"""Entry ID and content."""


def write_plain(images: list[Image], file: BinaryIO, align: int = ALIGN) -> None:
    """An uncompressed bundle, every image at a multiple of `align`."""
    for piece in _pieces(images, align):
        file.write(piece)


def write_compressed(
    images: list[Image], file: BinaryIO, align: int = ALIGN, version: int = 3, level: int = 3
) -> None:
    """A zstd bundle "CCOB" of version 2 or 3; the frame states the content's size."""
    header, offsets = _layout(images, align)
    ends = [o + s.size for o, (_, s) in zip(offsets, images, strict=True) if s.size]
    size = max([len(header), *ends])
    layout = struct.Struct("<4sHHIIQ" if version == 2 else "<4sHHQQQ")
    file.write(bytes(layout.size))
    compressor = zstd().ZstdCompressor(level)
    compressor.set_pledged_input_size(size)
    digest = hashlib.md5(usedforsecurity=False)
    total = layout.size
    for piece in _pieces(images, align):
        digest.update(piece)
        total += file.write(compressor.compress(piece))
    total += file.write(compressor.flush(compressor.FLUSH_FRAME))
    value = int.from_bytes(digest.digest()[:8], "little")
    file.seek(0)
    file.write(layout.pack(b"CCOB", version, 1, total, size, value))


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
        for start in range(0, source.size, PIECE):
            yield source.read(start, min(PIECE, source.size - start))
        position = offset + source.size
