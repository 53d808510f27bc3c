"""The kpack archive: device code split off its library (ROCm's TheRock, shared/kpack).

"KPAK", u32 version, u64 offset of a MessagePack table; blobs before it, either plain with a
list of offsets, or "zstd-per-kernel": a count, then a length and one zstd frame each. Written
from the published description; no archive of this kind has been seen.
"""

from __future__ import annotations

import struct
from typing import Any

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import MemorySource, Source, Window
from hipport.fatbin.compression import Stream
from hipport.fatbin.limits import RAISE_LIMIT, Limits

NAME = "kpack archive"
MAGIC = b"KPAK"
_HEADER = struct.Struct("<4sIQ")


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC)


def read(source: Source, limits: Limits) -> Bundle:
    """One entry for each code object; its ID is `hip-amdgcn-amd-amdhsa--<arch>`."""
    from hipport.fatbin.object.metadata import decode_map

    if source.size < _HEADER.size:
        raise source.fault(0, "a kpack archive that is cut off in its header")
    _, version, table_at = _HEADER.unpack(source.read(0, _HEADER.size))
    if not _HEADER.size <= table_at < source.size:
        raise source.fault(8, f"the table's offset {table_at:#x} lies outside the archive")
    size = source.size - table_at
    if size > limits.max_note:
        raise source.fault(8, f"a table of {size} bytes; the limit is {limits.max_note}")
    table = decode_map(Window(source, table_at, size), limits)
    scheme = table.get("compression_scheme", "none")
    if scheme not in ("none", "zstd-per-kernel"):
        raise source.fault(table_at, f"unknown compression scheme {scheme!r}")
    bundle = Bundle(NAME, source, source.size, version=version)
    bundle.compression = "zstd" if scheme == "zstd-per-kernel" else ""
    try:
        blobs = _frames(source, table) if bundle.compression else _plain(source, table)
        entries = _entries(bundle, table, blobs, limits)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise source.fault(table_at, f"the table is not as described: {error!r}") from None
    bundle.entries = tuple(entries)
    return bundle


def _plain(source: Source, table: dict[str, Any]) -> list[tuple[int, int]]:
    blobs = [(_natural(blob["offset"]), _natural(blob["size"])) for blob in table["blobs"]]
    for offset, size in blobs:
        source.check(offset, size)
    return blobs


def _frames(source: Source, table: dict[str, Any]) -> list[tuple[int, int]]:
    position = _natural(table["zstd_offset"])
    end = position + _natural(table["zstd_size"])
    count = int.from_bytes(source.read(position, 4), "little")
    position += 4
    blobs = []
    for _ in range(count):
        length = int.from_bytes(source.head(position, 4), "little")
        if position + 4 + length > end:
            raise source.fault(position, f"{count} frames do not fit into the blob area")
        source.check(position + 4, length)
        blobs.append((position + 4, length))
        position += 4 + length
    return blobs


def _entries(
    bundle: Bundle, table: dict[str, Any], blobs: list[tuple[int, int]], limits: Limits
) -> list[BundleEntry]:
    entries: list[BundleEntry] = []
    for name, by_arch in table["toc"].items():
        for arch, item in by_arch.items():
            offset, stored = blobs[_natural(item["ordinal"])]
            entry: BundleEntry
            if bundle.compression:
                original = _natural(item["original_size"])
                entry = _Compressed(bundle, len(entries), _id(arch), offset, original)
                entry.stored, entry.limits = stored, limits
            else:
                entry = BundleEntry(bundle, len(entries), _id(arch), offset, stored)
            entry.image_kind = f"{item.get('type', 'hsaco')} of {name}"
            entries.append(entry)
            if len(entries) > limits.max_entries:
                raise ValueError(f"more than {limits.max_entries} entries")
    return entries


def _natural(value: object) -> int:
    """The number; raises ValueError for anything but a number from 0 up."""
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a size")
    return value


def _id(arch: str) -> str:
    return f"hip-amdgcn-amd-amdhsa--{arch}"


class _Compressed(BundleEntry):
    """An entry with a zstd frame of its own."""

    __slots__ = ("limits", "stored")
    stored: int
    limits: Limits

    def source(self) -> Source:
        archive = self.bundle.stored
        if self.size > self.limits.max_size:
            raise archive.fault(
                self.offset,
                f"says it decompresses to {self.size} bytes; the limit is {self.limits.max_size}",
                remedy=RAISE_LIMIT,
            )
        frame = Stream(Window(archive, self.offset, self.stored), "zstd", self.size)
        data = b"".join(frame.pieces())
        if len(data) != self.size:
            raise archive.fault(self.offset, f"decompresses to another size than {self.size}")
        return MemorySource(data, f"{archive.label}[{self.offset:#x}, decompressed]")
