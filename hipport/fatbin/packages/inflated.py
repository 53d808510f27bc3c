"""Random access to a deflated member that is too large for memory.

zlib's state can be copied: one copy every few MiB of output (40 KB each) is enough to start
again near any place. A library of 500 MB in a wheel takes 10 MB this way.
"""

from __future__ import annotations

import zlib

from hipport.fatbin.byte_source import Source

STEP = 4 << 20
_FEED = 1 << 16


class _Point:
    """A decompressor, its position in the input, and the input it still holds."""

    __slots__ = ("engine", "position")

    def __init__(self, engine: zlib._Decompress, position: int) -> None:
        self.engine, self.position = engine, position


class Inflated(Source):
    """The content of a raw deflate stream; `size` and `crc` are the declared
    ones; the CRC is compared when the last byte has been read."""

    def __init__(self, data: Source, size: int, crc: int, label: str) -> None:
        self._data, self.size, self.label = data, size, label
        self._declared, self._crc = crc, 0
        self._points = [_Point(zlib.decompressobj(-15), 0)]
        self._blocks: dict[int, bytes] = {}

    def view(self, offset: int, size: int) -> memoryview:
        self.check(offset, size)
        if size == 0:
            return memoryview(b"")
        first, last = offset // STEP, (offset + size - 1) // STEP
        if first == last:
            return memoryview(self._block(first))[offset - first * STEP :][:size]
        joined = bytearray()
        for number in range(first, last + 1):
            start = max(0, offset - number * STEP)
            stop = min(STEP, offset + size - number * STEP)
            joined += memoryview(self._block(number))[start:stop]
        return memoryview(joined).toreadonly()

    def _block(self, number: int) -> bytes:
        """Block `number` of STEP bytes; the last two blocks used are kept."""
        if number in self._blocks:
            return self._blocks[number]
        while len(self._points) <= number + 1:
            at = len(self._points) - 1
            block, following = self._inflate(at)
            # Each block passes here once, in order.
            self._crc = zlib.crc32(block, self._crc)
            if (at + 1) * STEP >= self.size and self._crc != self._declared:
                raise self._data.fault(
                    0,
                    f"damaged: its CRC is {self._crc:08x}, {self._declared:08x} is declared",
                )
            self._points.append(following)
            self._keep(at, block)
        if number not in self._blocks:
            self._keep(number, self._inflate(number)[0])
        return self._blocks[number]

    def _keep(self, number: int, block: bytes) -> None:
        while len(self._blocks) >= 2:
            self._blocks.pop(next(iter(self._blocks)))
        self._blocks[number] = block

    def _inflate(self, number: int) -> tuple[bytes, _Point]:
        point = self._points[number]
        engine, position = point.engine.copy(), point.position
        wanted = min(STEP, self.size - number * STEP)
        block = bytearray()
        while len(block) < wanted:
            feed = engine.unconsumed_tail
            if not feed:
                feed = self._data.head(position, _FEED)
                position += len(feed)
            try:
                part = engine.decompress(feed, wanted - len(block))
            except zlib.error as error:
                raise self._data.fault(position, f"damaged deflate data: {error}") from None
            if not part and (engine.eof or not feed):
                raise self._data.fault(
                    position, f"decompresses to less than the {self.size} bytes declared"
                )
            block += part
        return bytes(block), _Point(engine, position)
