"""The uncompressed bundle of clang-offload-bundler (LLVM, clang/docs/ClangOffloadBundler.rst).

24 bytes of magic, a count, then for each entry offset, size and length of its ID as u64, and
the ID. Offsets count from the start of the bundle. The bundle's length is stored nowhere.
"""

from __future__ import annotations

import struct
from itertools import pairwise

from hipport.fatbin.faults import FormatError, Limits
from hipport.fatbin.model import Bundle, BundleEntry
from hipport.fatbin.source import Source

NAME = "offload bundle"
MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
MAX_ID = 4096
MAX_HEADER = 16 << 20
_ENTRY = struct.Struct("<QQQ")
_FIRST_READ = 4096


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC)


def read(source: Source, limits: Limits) -> Bundle:
    """The bundle at the start of `source`, from its header alone."""
    head = source.head(0, _FIRST_READ)
    needed = header_size(head, source, limits)
    while needed > len(head):
        if needed > source.size:
            raise source.fault(len(head), f"the header is cut off: it needs {needed} bytes")
        head = source.read(0, min(source.size, max(needed, 2 * len(head))))
        needed = header_size(head, source, limits)
    bundle = Bundle(NAME, source, needed)
    fill(bundle, head, source, source.size)
    return bundle


def header_size(head: bytes, source: Source, limits: Limits) -> int:
    """Bytes of the header; a number above len(head) means that at least so many are needed."""
    if len(head) < 32:
        return 32
    if not head.startswith(MAGIC):
        raise source.fault(0, f"not a bundle: starts with {head[:8]!r}")
    count = int.from_bytes(head[24:32], "little")
    if count > limits.max_entries:
        raise source.fault(24, f"{count} entries; the limit is {limits.max_entries}")
    position = 32
    for _ in range(count):
        if position + 24 > len(head):
            return position + 24
        length = int.from_bytes(head[position + 16 : position + 24], "little")
        if length > MAX_ID:
            raise source.fault(position + 16, f"an entry ID of {length} bytes (limit {MAX_ID})")
        position += 24 + length
        if position > MAX_HEADER:
            raise source.fault(24, f"the header is longer than {MAX_HEADER} bytes")
    return position


def fill(bundle: Bundle, head: bytes, source: Source, available: int) -> None:
    """Read the entries of a complete header into the bundle; `available` bytes exist in all.

    An entry that does not lie within them is kept with size 0 and reported as a fault.
    """
    count = int.from_bytes(head[24:32], "little")
    position, end = 32, bundle.size
    entries = []
    for index in range(count):
        offset, size, length = _ENTRY.unpack_from(head, position)
        entry_id = head[position + 24 : position + 24 + length].decode("utf-8", "backslashreplace")
        if size and offset + size > available:
            bundle.faults.append(
                source.fault(
                    position,
                    f"entry {entry_id!r}: {size:#x} bytes at {offset:#x} reach past the end of "
                    f"the data ({available:#x})",
                )
            )
            offset, size = 0, 0
        entries.append(BundleEntry(bundle, index, entry_id, offset, size))
        end = max(end, offset + size if size else 0)
        position += 24 + length
    if count == 0:
        bundle.faults.append(source.fault(24, "a bundle with no entries"))
    bundle.entries = tuple(entries)
    bundle.size = bundle.uncompressed_size = end
    bundle.faults += _inconsistencies(bundle, position, source)


def _inconsistencies(bundle: Bundle, header_end: int, source: Source) -> list[FormatError]:
    """Overlapping entries and IDs that occur twice. An empty entry overlaps nothing."""
    faults = []
    full = sorted((e for e in bundle.entries if e.size), key=lambda e: e.offset)
    if full and full[0].offset < header_end:
        faults.append(source.fault(full[0].offset, f"entry {full[0].id!r} overlaps the header"))
    for before, after in pairwise(full):
        if before.offset + before.size > after.offset:
            faults.append(
                source.fault(after.offset, f"entries {before.id!r} and {after.id!r} overlap")
            )
    seen: set[str] = set()
    for entry in bundle.entries:
        if entry.id in seen:
            faults.append(source.fault(32, f"entry ID {entry.id!r} occurs twice"))
        seen.add(entry.id)
    return faults


def layout(images: list[tuple[str, int]], align: int) -> tuple[bytes, list[int]]:
    """The header of a bundle with these (ID, size) pairs, and where each image goes.

    Sizes are in bytes; every image starts at a multiple of `align`, as the bundler's
    -bundle-align does.
    """
    header_end = 32 + sum(24 + len(entry_id.encode()) for entry_id, _ in images)
    position = header_end
    header = [MAGIC, struct.pack("<Q", len(images))]
    offsets = []
    for entry_id, size in images:
        position = -(-position // align) * align
        encoded = entry_id.encode()
        header.append(_ENTRY.pack(position, size, len(encoded)) + encoded)
        offsets.append(position)
        position += size
    return b"".join(header), offsets
