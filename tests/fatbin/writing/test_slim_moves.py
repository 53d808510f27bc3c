"""Instructions that load the address of a bundle keep it where it is."""

from __future__ import annotations

import struct

import pytest

from fuzz.small_elf import small_elf
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.elf_file import SHF_ALLOC, SHF_EXECINSTR, SHT_NOBITS, Elf
from hipport.fatbin.writing.slim_moves import _loaded

AT, BUNDLE = 0x1000, 0x5000
NOP = b"\x90"


def lea(at: int, target: int, prefix: int = 0x48, register: int = 0) -> bytes:
    """`lea target(%rip), register` at an address."""
    return struct.pack("<BBBi", prefix, 0x8D, 5 + 8 * register, target - at - 7)


@pytest.mark.parametrize(
    ("code", "is_loaded"),
    [
        (lea(AT, BUNDLE), True),
        (NOP * 3 + lea(AT + 3, BUNDLE), True),
        (lea(AT, BUNDLE + 8) + lea(AT + 7, BUNDLE, 0x4C, 7) + NOP, True),
        (lea(AT, BUNDLE, register=6), True),
        (lea(AT, AT - 8), True),
        (lea(AT, BUNDLE + 1), False),
        (lea(AT + 1, BUNDLE), False),
        (lea(AT, BUNDLE)[:-1], False),
        (NOP * 16, False),
    ],
)
def test_addresses_that_code_loads(code: bytes, is_loaded: bool) -> None:
    elf = Elf(MemorySource(small_elf({".text": code, ".data": lea(AT, BUNDLE)}), "a"))
    text, data = elf.find(".text"), elf.find(".data")
    assert text is not None and data is not None
    text.address = data.address = AT
    text.flags, data.flags = SHF_ALLOC | SHF_EXECINSTR, SHF_ALLOC
    moved = {BUNDLE: 0x6000, AT - 8: AT}
    assert _loaded(elf, moved) is is_loaded
    assert not _loaded(elf, {0x6000: 0x7000})
    text.type = SHT_NOBITS
    assert not _loaded(elf, moved)
