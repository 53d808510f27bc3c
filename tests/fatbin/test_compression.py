"""Streams in pieces: all of the data, however pieces and blocks fall together."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import zlib
from collections.abc import Callable

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.compression import Stream
from hipport.fatbin.format_error import FormatError
from hipport.zstd import zstd

METHODS: dict[str, Callable[[bytes], bytes]] = {
    "zstd": lambda data: bytes(zstd().compress(data)),
    "zlib": zlib.compress,
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def content(seed: int, size: int) -> bytes:
    """Half noise, half zeros, as code objects are: a piece ends where a block does."""
    return bytes(random.Random(seed).choices(b"abcdefgh", k=size // 2)) + bytes(size // 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("piece", [512, 1 << 14, 1 << 16, 131071])
def test_a_stream_gives_all_its_data(method: str, piece: int) -> None:
    for seed, size in ((2, 512 << 10), (3, 300 << 10), (3, 512 << 10)):
        data = content(seed, size)
        source = MemorySource(METHODS[method](data), "input")
        assert b"".join(Stream(source, method, size).pieces(piece)) == data


@pytest.mark.parametrize("method", METHODS)
def test_a_stream_that_is_cut_off_is_said(method: str) -> None:
    packed = METHODS[method](content(1, 1 << 16))
    for end in (len(packed) // 2, len(packed) - 1):
        source = MemorySource(packed[:end], "input")
        with pytest.raises(FormatError, match="cut off"):
            list(Stream(source, method, 1 << 20).pieces(512))
