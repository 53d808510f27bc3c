"""Compressed members: judged by their first bytes, then held."""

from __future__ import annotations

import zlib

from hipport.fatbin.byte_source import MemorySource, Source
from hipport.fatbin.compression import Stream
from hipport.fatbin.first_bytes import may_hold_device_code
from hipport.fatbin.limits import RAISE_LIMIT, Limits
from hipport.fatbin.package_kinds import not_opened
from hipport.fatbin.packages.held import hold

LOOK = 512


def load(
    data: Source, method: str, size: int, crc: int, label: str, limits: Limits
) -> Source | None:
    """The member's content; None if its first bytes are of no interest.

    `size` and `crc` are the declared ones. A member above the limit or with other values
    raises FormatError.
    """
    look = b"".join(Stream(data, method, LOOK).pieces(LOOK))[:LOOK]
    if not_opened(look):  # its first bytes say what it is, and no more is read
        return MemorySource(look, label)
    if not may_hold_device_code(look):
        return None
    if size > limits.max_size and method == "deflate":
        from hipport.fatbin.packages.inflated import Inflated

        return Inflated(data, size, crc, label)
    if size > limits.max_stream:
        what = f"{size} bytes decompressed; the limit is {limits.max_stream}"
        raise data.fault(0, what, remedy=RAISE_LIMIT)
    content = hold(Stream(data, method, size).pieces(), limits, label)
    if content.size != size:
        raise data.fault(0, f"decompresses to another size than the {size} bytes declared")
    check_crc(content, crc)
    return content


def check_crc(data: Source, declared: int) -> None:
    """Raises FormatError unless the bytes have this CRC-32."""
    found = 0
    for piece in data.pieces():
        found = zlib.crc32(piece, found)
    if found != declared:
        raise data.fault(0, f"damaged: its CRC is {found:08x}, {declared:08x} is declared")
