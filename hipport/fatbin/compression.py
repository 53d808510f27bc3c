"""zlib, zstd, and other compression in packages, decompressed in pieces under a limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from hipport.fatbin.byte_source import PIECE, Source, Window
from hipport.fatbin.package_kinds import compression
from hipport.zstd import zstd


class _Zlib:
    """zlib with the interface of bz2, lzma and zstd: input that was not used is kept inside."""

    def __init__(self, window_bits: int) -> None:
        self._inner = zlib.decompressobj(window_bits)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail


# Window bits of zlib: a header of its own, none (zip), gzip's.
_WINDOW_BITS = {"zlib": 15, "deflate": -15, "gzip": 31}
_XZ_MEMORY = 256 << 20


def decompressor(method: str, max_size: int) -> Any:
    """A fresh decompressor; a zstd frame may not ask for a window larger than `max_size`."""
    if method in _WINDOW_BITS:
        return _Zlib(_WINDOW_BITS[method])
    if method == "bz2":
        import bz2

        return bz2.BZ2Decompressor()
    if method == "xz":
        import lzma

        return lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
    module = zstd()
    # ZSTD_d_windowLogMax: 27 (128 MiB) is the library's own default for streams.
    window = min(max(27, max_size.bit_length()), 31)
    options = {module.DecompressionParameter.window_log_max: window}
    return module.ZstdDecompressor(options=options)


class Stream:
    """One compressed stream at the start of a source."""

    def __init__(
        self, source: Source, method: str, max_size: int, window: int | None = None
    ) -> None:
        self._source = source
        self._engine = decompressor(method, max_size if window is None else window)
        self._max_size = max_size
        self._method = method
        self.consumed = 0
        """Compressed bytes of the stream, known once it ended."""
        self.ended = False

    def pieces(self, piece: int = PIECE) -> Iterator[bytes]:
        """The decompressed data, cut off one byte past the limit."""
        engine, source = self._engine, self._source
        position, produced, feed, idle = 0, 0, min(piece, PIECE), False
        while not engine.eof and produced <= self._max_size:
            hungry = engine.needs_input or idle
            chunk = source.head(position, feed) if hungry else b""
            position += len(chunk)
            try:
                data = engine.decompress(chunk, min(piece, self._max_size + 1 - produced))
            except _errors(self._method) as error:
                raise source.fault(
                    position, f"damaged {self._method} data: {brief(error)}"
                ) from None
            # If a piece ends with a block, zstd finds only at the next call that no output is left.
            idle = not data and not chunk
            if idle and hungry and not engine.eof:
                raise source.fault(source.size, f"the {self._method} data is cut off")
            produced += len(data)
            if data:
                yield data
        self.ended = bool(engine.eof)
        self.consumed = position - len(engine.unused_data)


def streams(source: Source, method: str, max_size: int) -> Iterator[bytes]:
    """The data of all streams one after the other, as parallel compressors write them; cut off
    past the limit. Like gzip, this ignores what follows the last stream and is no stream."""
    position, produced = 0, 0
    while True:
        rest = Window(source, position, source.size - position)
        stream = Stream(rest, method, max_size - produced, max_size)
        for piece in stream.pieces():
            produced += len(piece)
            yield piece
        position += stream.consumed
        more = compression(source.head(position, 16)) == method
        if not stream.ended or not more or produced > max_size:
            return


def brief(error: Exception) -> str:
    """The first sentence of a decompressor's message."""
    return str(error).partition(". ")[0].removeprefix("Unable to decompress Zstandard data: ")


def _errors(method: str) -> tuple[type[Exception], ...]:
    common: tuple[type[Exception], ...] = (zlib.error, OSError, EOFError, ValueError)
    if method == "xz":
        import lzma

        return (*common, lzma.LZMAError)
    return (*common, zstd().ZstdError) if method == "zstd" else common
