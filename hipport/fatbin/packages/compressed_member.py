"""Compressed members: looked at through their first bytes, then held in memory."""

from __future__ import annotations

from hipport.fatbin.byte_source import MemorySource, Source
from hipport.fatbin.compression import Stream
from hipport.fatbin.first_bytes import may_hold_device_code
from hipport.fatbin.limits import RAISE_LIMIT, Limits

LOOK = 512


def load(data: Source, method: str, size: int, label: str, limits: Limits) -> Source | None:
    """The member's content in memory; None if its first bytes are of no interest.

    `size` is the declared one. A member above the limit or of another size than declared
    raises FormatError.
    """
    look = b"".join(Stream(data, method, LOOK).pieces(LOOK))[:LOOK]
    if not may_hold_device_code(look):
        return None
    if size > limits.max_size:
        if method == "deflate":
            from hipport.fatbin.packages.inflated import Inflated

            return Inflated(data, size, label)
        raise data.fault(
            0, f"{size} bytes decompressed; the limit is {limits.max_size}", remedy=RAISE_LIMIT
        )
    content = bytearray()
    for piece in Stream(data, method, size).pieces():
        content += piece
    if len(content) != size:
        raise data.fault(0, f"decompresses to another size than the {size} bytes declared")
    return MemorySource(memoryview(content).toreadonly(), label)
