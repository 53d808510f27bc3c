"""Digests are the same whether a thread computes them or not."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from hipport.fatbin import digest
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.digest import Digest, sha256
from hipport.fatbin.writing import pe_checksum
from tests.support.binaries import BINARY


def test_a_thread_computes_it_from_a_size_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest, "_WORTH_A_THREAD", 10)
    for size, has_thread in ((9, False), (10, True)):
        one = Digest(size)
        assert (one._thread is not None) == has_thread
        for piece in (b"abc", b"", b"d" * 100, *[b"e"] * 9):
            one.update(piece)
        wanted = hashlib.md5(b"abc" + b"d" * 100 + b"e" * 9, usedforsecurity=False).digest()
        assert one.finish() == wanted
        assert one._thread is None or not one._thread.is_alive()
        assert one.finish() == wanted


def test_eight_mebibytes_are_worth_a_thread() -> None:
    assert Digest((8 << 20) - 1)._thread is None
    one = Digest(8 << 20)
    assert one._thread is not None
    one.finish()


def test_sha256_of_a_source() -> None:
    data = bytes(3 << 20) + b"end"
    assert sha256(MemorySource(data, "")) == hashlib.sha256(data).hexdigest()


def test_the_checksum_of_a_windows_image() -> None:
    """The sum of its words, as the PE format describes it, one word after the other."""
    data = bytearray(Path(BINARY / "windows/kernels.dll").read_bytes())
    at = int.from_bytes(data[60:64], "little") + 88
    assert pe_checksum.renewed(MemorySource(bytes(data), "")) is None
    data[at : at + 4] = b"\1\2\3\4"
    total = 0
    for place in range(0, len(data), 2):
        if place not in (at, at + 2):
            total += int.from_bytes(data[place : place + 2], "little")
            total = (total & 0xFFFF) + (total >> 16)
    wanted = (total + len(data)).to_bytes(4, "little")
    assert pe_checksum.renewed(MemorySource(bytes(data), "")) == (at, wanted)
