"""OffloadBinary of LLVM's new offload driver (llvm/include/llvm/Object/OffloadBinary.h).

Blobs aligned to 8 in the section `.llvm.offloading`. Version 1 holds one image and states the
entry's size; versions 2 and 3 state the number of entries, and their strings carry a length.
"""

from __future__ import annotations

import struct

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import Source
from hipport.fatbin.limits import Limits

NAME = "offload binary"
MAGIC = b"\x10\xff\x10\xad"
IMAGE_KINDS = ("none", "object", "bitcode", "cubin", "fatbin", "ptx", "spirv")
OFFLOAD_KINDS = {1: "openmp", 2: "cuda", 4: "hip", 8: "sycl"}
_HEADER = struct.Struct("<4sIQQQ")
_ENTRY = struct.Struct("<HHIQQQQ")
_MAX_STRINGS = 256


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC)


def read(source: Source, limits: Limits) -> Bundle:
    """The blob at the start of `source`; an entry's ID is `<kind>-<triple>-<arch>`."""
    if source.size < _HEADER.size:
        raise source.fault(0, "an offload binary that is cut off in its header")
    _, version, size, entries_at, number = _HEADER.unpack(source.read(0, _HEADER.size))
    if version not in (1, 2, 3):
        raise source.fault(4, f"offload binary of unknown version {version} (known: 1, 2, 3)")
    if not _HEADER.size <= size <= source.size:
        raise source.fault(8, f"size {size:#x} is wrong: {source.size:#x} bytes are there")
    if version == 3 and int.from_bytes(source.head(32, 8), "little"):
        raise source.fault(32, "a compressed offload binary (version 3) cannot be read yet")
    if version == 1 and number != _ENTRY.size:
        raise source.fault(24, f"an entry has {_ENTRY.size} bytes, not {number}")
    count = 1 if version == 1 else number
    if count > limits.max_entries:
        raise source.fault(24, f"{count} entries; the limit is {limits.max_entries}")
    if entries_at + count * _ENTRY.size > size:
        raise source.fault(16, f"{count} entries at {entries_at:#x} reach past the end")
    bundle = Bundle(NAME, source, size, version=version)
    table = source.read(entries_at, count * _ENTRY.size)
    entries = []
    for index, fields in enumerate(_ENTRY.iter_unpack(table)):
        image, offload, _flags, strings_at, strings, offset, length = fields
        place = entries_at + index * _ENTRY.size
        texts = _strings(source, bundle, strings_at, strings, size, version, place)
        parts = [OFFLOAD_KINDS.get(offload, str(offload)), texts.get("triple", "")]
        entry_id = "-".join([*parts, texts["arch"]] if texts.get("arch") else parts)
        if offset + length > size:
            bundle.faults.append(source.fault(place, f"entry {entry_id!r} reaches past the end"))
            offset = length = 0
        entry = BundleEntry(bundle, index, entry_id, offset, length)
        entry.image_kind = IMAGE_KINDS[image] if image < len(IMAGE_KINDS) else str(image)
        entries.append(entry)
    bundle.entries = tuple(entries)
    return bundle


def _strings(
    source: Source, bundle: Bundle, offset: int, count: int, size: int, version: int, place: int
) -> dict[str, str]:
    entry_size = 16 if version == 1 else 24
    if count > _MAX_STRINGS or offset + count * entry_size > size:
        bundle.faults.append(source.fault(place + 8, f"a string table with {count} entries"))
        return {}
    table = source.read(offset, count * entry_size)
    texts = {}
    for position in range(0, len(table), entry_size):
        key_at, value_at = struct.unpack_from("<QQ", table, position)
        texts[_text(source, key_at, size)] = _text(source, value_at, size)
    return texts


def _text(source: Source, offset: int, size: int) -> str:
    text = source.head(offset, min(4096, max(0, size - offset))).partition(b"\0")[0]
    return text.decode("utf-8", "backslashreplace")
