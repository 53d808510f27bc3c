"""NVIDIA's fatbin, as far as listing goes: SM targets and kinds.

The format is not documented; the layout was read off published CUDA libraries: a header of 16
bytes (magic, version, header size, size of what follows), then for each image a header of 64
bytes with kind, header size, padded size, compressed size and SM number.
"""

from __future__ import annotations

import struct

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import Source
from hipport.fatbin.limits import Limits

NAME = "NVIDIA fatbin"
MAGIC = b"\x50\xed\x55\xba"
KINDS = {1: "ptx", 2: "cubin"}
_HEADER = struct.Struct("<4sHHQ")
_IMAGE = struct.Struct("<HHIQIIHHI8xQ")


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
    while position + _IMAGE.size <= end and len(entries) < limits.max_entries:
        kind, _, image_header, image_size, _, _, _, _, arch, flags = _IMAGE.unpack(
            source.read(position, _IMAGE.size)
        )
        if image_header < _IMAGE.size or position + image_header + image_size > end:
            bundle.faults.append(
                source.fault(position, f"image {len(entries)} reaches past the end")
            )
            break
        name = KINDS.get(kind, f"kind{kind}")
        entry = BundleEntry(
            bundle,
            len(entries),
            f"cuda-nvptx64-nvidia-cuda--sm_{arch}",
            position + image_header,
            image_size,
        )
        # Bits 13 and 15 of the flags mark LZ4 and zstd content.
        entry.image_kind = name + (" (compressed)" if flags & 0xA000 else "")
        entries.append(entry)
        position += image_header + image_size
    bundle.entries = tuple(entries)
    return bundle
