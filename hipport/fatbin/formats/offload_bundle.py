"""The uncompressed bundle of clang-offload-bundler (LLVM, clang/docs/ClangOffloadBundler.rst).

24 bytes of magic, a count, then for each entry offset, size and length of its ID as u64, and
the ID. Offsets count from the start of the bundle. The bundle's length is stored nowhere.
"""

from __future__ import annotations

import struct

from hipport.fatbin.binary import Bundle, BundleEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hipport.fatbin.byte_source import Source
    from hipport.fatbin.format_error import FormatError
    from hipport.fatbin.limits import Limits

NAME = "offload bundle"
MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
MAX_ID = 4096
MAX_HEADER = 16 << 20
_MAX_FAULTS = 16
_ENTRY = struct.Struct("<QQQ")
_FIRST_READ = 1024


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC)


def read(source: Source, limits: Limits) -> Bundle:
    """The bundle at the start of `source`; only its header is read."""
    head = source.head(0, _FIRST_READ)
    rows = parse(head, source, limits)
    while isinstance(rows, int):
        if rows > source.size:
            raise source.fault(len(head), f"the header is cut off: it needs {rows} bytes")
        head = source.read(0, min(source.size, max(rows, 2 * len(head))))
        rows = parse(head, source, limits)
    bundle = Bundle(NAME, source, 0)
    fill(bundle, rows, source, source.size)
    return bundle


Row = tuple[int, int, str, int, int]
"""Offset, size and ID of an entry, and where its row starts and ends in the header."""


def parse(head: bytes, source: Source, limits: Limits) -> list[Row] | int:
    """The rows of the header; or, if `head` does not hold all of it, how many bytes are needed,
    at least. `source` is for messages."""
    if len(head) < 32:
        return 32
    if head[:24] != MAGIC:
        raise source.fault(0, f"not a bundle: starts with {head[:8]!r}")
    count = int.from_bytes(head[24:32], "little")
    if count > limits.max_entries:
        raise source.fault(24, f"{count} entries; the limit is {limits.max_entries}")
    rows: list[Row] = []
    position, available, unpack = 32, len(head), _ENTRY.unpack_from
    for _ in range(count):
        start = position + 24
        if start > available:
            return start
        offset, size, length = unpack(head, position)
        if length > MAX_ID:
            raise source.fault(position + 16, f"an entry ID of {length} bytes (limit {MAX_ID})")
        position = start + length
        if position > MAX_HEADER:
            raise source.fault(24, f"the header is longer than {MAX_HEADER} bytes")
        if position > available:
            needed: int = position
            return needed
        entry_id = head[start:position].decode("utf-8", "backslashreplace")
        rows.append((offset, size, entry_id, start - 24, position))
    return rows


def fill(bundle: Bundle, rows: list[Row], source: Source, available: int) -> None:
    """Give the bundle its entries and its size; `available` bytes exist in all.

    An entry that does not lie within them is kept with size 0 and reported as a fault.
    """
    header_end = rows[-1][4] if rows else 32
    end, in_order = header_end, True
    entries = []
    for index, (offset, size, entry_id, place, _) in enumerate(rows):
        if size:
            if offset < end:
                in_order = False
            if offset + size > available:
                if len(bundle.faults) < _MAX_FAULTS:
                    bundle.faults.append(
                        source.fault(
                            place,
                            f"entry {entry_id!r}: {size:#x} bytes at {offset:#x} reach past the "
                            f"end of the data ({available:#x})",
                        )
                    )
                offset, size = 0, 0
            elif offset + size > end:
                end = offset + size
        entries.append(BundleEntry(bundle, index, entry_id, offset, size))
    bundle.entries = tuple(entries)
    bundle.size = bundle.uncompressed_size = end
    if not rows:
        bundle.faults.append(source.fault(24, "a bundle with no entries"))
    if not in_order or len({row[2] for row in rows}) < len(rows):
        bundle.faults += _inconsistencies(bundle, header_end, source)


def _inconsistencies(bundle: Bundle, header_end: int, source: Source) -> list[FormatError]:
    """Overlapping entries and IDs that occur twice. An empty entry overlaps nothing."""
    faults: list[FormatError] = []
    before, end = None, header_end
    for entry in sorted((e for e in bundle.entries if e.size), key=lambda e: e.offset):
        if entry.offset < end and len(faults) < _MAX_FAULTS:
            what = f"{before.id!r} and {entry.id!r}" if before else f"{entry.id!r} and the header"
            faults.append(source.fault(entry.offset, f"entries overlap: {what}"))
        before, end = entry, max(end, entry.offset + entry.size)
    seen: set[str] = set()
    for entry in bundle.entries:
        if entry.id in seen and len(faults) < _MAX_FAULTS:
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
