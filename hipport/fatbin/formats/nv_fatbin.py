"""NVIDIA's fatbin: SM targets, kinds, and how images are compressed.

The format is not documented; the layout was read off published CUDA libraries: a header of 16
bytes (magic, version, header size, size of what follows), then for each image a header of 64
bytes with kind, header size, padded size, compressed size, SM number, flags and size.
"""

from __future__ import annotations

import struct

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import Source
from hipport.fatbin.limits import Limits

NAME = "NVIDIA fatbin"
MAGIC = b"\x50\xed\x55\xba"
KINDS = {1: "ptx", 2: "cubin"}
LZ4, ZSTD = 1 << 13, 1 << 15
"""Flags of an image whose content is one block of LZ4, or one frame of zstd."""
_HEADER = struct.Struct("<4sHHQ")
_IMAGE = struct.Struct("<HHIQIIHHI8xQ8xQ")


class Image(BundleEntry):
    """One image of a fatbin."""

    __slots__ = ("flags", "stored", "unpacked")

    flags: int
    stored: int
    """Bytes of the compressed content; `size` has the padding too. 0 where it is not compressed."""
    unpacked: int
    """Bytes of the content when it is decompressed; 0 where it is not compressed."""


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC)


def read(source: Source, limits: Limits) -> Bundle:
    """The fatbin at the start of `source`; images stay as they are, compressed or not."""
    if source.size < _HEADER.size:
        raise source.fault(0, "an NVIDIA fatbin that is cut off in its header")
    _, version, header_size, size = _HEADER.unpack(source.read(0, _HEADER.size))
    end = header_size + size
    if header_size < _HEADER.size or end > source.size:
        raise source.fault(8, f"size {size:#x} is wrong: {source.size:#x} bytes are there")
    bundle = Bundle(NAME, source, end, version=version)
    entries: list[BundleEntry] = []
    position = header_size
    while position + _IMAGE.size <= end:
        if len(entries) >= limits.max_entries:
            what = f"more than {limits.max_entries} images; the rest is not read"
            bundle.faults.append(source.fault(position, what))
            break
        fields = _IMAGE.unpack(source.read(position, _IMAGE.size))
        kind, _, image_header, image_size, stored, _, _, _, arch, flags, unpacked = fields
        if image_header < _IMAGE.size or position + image_header + image_size > end:
            bundle.faults.append(
                source.fault(position, f"image {len(entries)} reaches past the end")
            )
            break
        name = KINDS.get(kind, f"kind{kind}")
        entry = Image(
            bundle,
            len(entries),
            f"cuda-nvptx64-nvidia-cuda--sm_{arch}",
            position + image_header,
            image_size,
        )
        entry.flags, entry.stored, entry.unpacked = flags, stored, unpacked
        entry.image_kind = name + (" (compressed)" if flags & (LZ4 | ZSTD) else "")
        entries.append(entry)
        position += image_header + image_size
    bundle.entries = tuple(entries)
    return bundle
