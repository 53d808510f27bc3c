"""Compressed members: looked at through their first bytes, then held in memory."""

from __future__ import annotations

import zlib

from hipport.fatbin.byte_source import PIECE, MemorySource, Source
from hipport.fatbin.compression import Stream
from hipport.fatbin.first_bytes import may_hold_device_code
from hipport.fatbin.limits import RAISE_LIMIT, Limits
from hipport.fatbin.package_kinds import not_opened

LOOK = 512


def load(
    data: Source, method: str, size: int, crc: int, label: str, limits: Limits
) -> Source | None:
    """The member's content in memory; None if its first bytes are of no interest.

    `size` and `crc` are the declared ones. A member above the limit or with others than declared
    raises FormatError.
    """
    look = b"".join(Stream(data, method, LOOK).pieces(LOOK))[:LOOK]
    if not_opened(look):  # its first bytes say what it is, and no more is read
        return MemorySource(look, label)
    if not may_hold_device_code(look):
        return None
    if size > limits.max_size:
        if method == "deflate":
            from hipport.fatbin.packages.inflated import Inflated

            return Inflated(data, size, crc, label)
        raise data.fault(
            0, f"{size} bytes decompressed; the limit is {limits.max_size}", remedy=RAISE_LIMIT
        )
    content = bytearray()
    for piece in Stream(data, method, size).pieces():
        content += piece
    if len(content) != size:
        raise data.fault(0, f"decompresses to another size than the {size} bytes declared")
    _compare(data, zlib.crc32(content), crc)
    return MemorySource(memoryview(content).toreadonly(), label)


def check_crc(data: Source, crc: int) -> None:
    """Raises FormatError unless the bytes have this CRC-32."""
    found = 0
    for offset in range(0, data.size, PIECE):
        found = zlib.crc32(data.head(offset, PIECE), found)
    _compare(data, found, crc)


def _compare(data: Source, found: int, declared: int) -> None:
    if found != declared:
        raise data.fault(0, f"damaged: its CRC is {found:08x}, {declared:08x} is declared")
