"""Records of the offload entries that the new driver writes, made by hand."""

from __future__ import annotations

import struct

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.host.host_image import HostImage
from hipport.fatbin.host.offload_entries import decode

NAMES = {0x100: b"here\0", 0x200: b"elsewhere\0"}


def image() -> HostImage:
    def read(address: int, size: int) -> bytes:
        return NAMES.get(address, b"").ljust(size, b"\0")[:size]

    return HostImage(MemorySource(b"", "a"), [], read, lambda _: None)


def record(zero: int = 0, version: int = 1, kind: int = 4, flags: int = 0, size: int = 0) -> bytes:
    """LLVM, llvm/Frontend/Offloading/Utility.cpp: `struct EntryTy`."""
    return struct.pack("<QHHIQQQQQ", zero, version, kind, flags, 7, 0x100, size, 8, 9)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (record(), "kernel"),
        (record(flags=3), "kernel"),
        (record(size=4), "variable"),
        (record(flags=1, size=4), "managed variable"),
        (record(flags=2, size=1), "surface"),
        (record(flags=3, size=1), "texture"),
        (record(flags=4, size=1), "variable"),
        (record(flags=8 + 3, size=1), "texture"),
        (record(flags=16, size=1), "variable"),
        (record(zero=1), ""),
        (record(version=0), ""),
        (record(version=2), ""),
        (record(kind=2), ""),
    ],
)
def test_what_a_record_registers(data: bytes, what: str) -> None:
    for addends, name in (({}, "here"), ({0x5018: 0x200}, "elsewhere"), ({0x5000: 0x200}, "here")):
        call = decode(0x5000, data, addends, image())
        if not what:
            assert call is None
        else:
            assert call is not None
            assert (call.site, call.kind, call.name) == (0x5000, what, name)
