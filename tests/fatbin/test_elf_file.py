"""Headers of ELF files, written by hand: counts, sizes, and what is loaded where."""

from __future__ import annotations

import struct

import pytest

from fuzz.small_elf import small_elf
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.elf_file import Elf, foreign_elf
from hipport.fatbin.format_error import FormatError

SOUND = small_elf({".text": b"abcd", ".data": b"efg"})
NAMES = ["", ".text", ".data", ".shstrtab"]
(TABLE,) = struct.unpack_from("<Q", SOUND, 40)
COUNT, NAMES_INDEX, ENTRY_SIZE = 60, 62, 58
"""Where the ELF header says how many sections there are, which has their names, and their size."""


def changed(*fields: tuple[int, str, int]) -> Elf:
    data = bytearray(SOUND)
    for at, form, value in fields:
        struct.pack_into(form, data, at, value)
    return Elf(MemorySource(bytes(data), "a"))


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ([], NAMES),
        ([(COUNT, "<H", 0), (TABLE + 32, "<Q", 4)], NAMES),
        ([(COUNT, "<H", 0), (TABLE + 32, "<Q", 2)], ["", ""]),
        ([(COUNT, "<H", 0)], []),
        ([(NAMES_INDEX, "<H", 0xFFFF), (TABLE + 40, "<I", 3)], NAMES),
        ([(NAMES_INDEX, "<H", 0xFFFF)], ["", "", "", ""]),
        ([(NAMES_INDEX, "<H", 4)], ["", "", "", ""]),
        ([(NAMES_INDEX, "<H", 0)], ["", "", "", ""]),
        ([(40, "<Q", 0)], []),
    ],
)
def test_sections_are_counted_in_one_of_two_places(
    fields: list[tuple[int, str, int]], names: list[str]
) -> None:
    """gABI, "ELF Header": what does not fit into it is in the first section header."""
    assert [section.name for section in changed(*fields).sections] == names


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ((ENTRY_SIZE, "<H", 63), "a: offset 0x3a: a section header has 64 bytes, not 63"),
        ((COUNT, "<H", 5), f"a: offset {TABLE:#x}: 320 bytes at {TABLE:#x} reach past the end"),
        ((TABLE + 3 * 64 + 24, "<Q", len(SOUND)), f"a: offset {len(SOUND):#x}: 23 bytes at "),
    ],
)
def test_section_headers_that_cannot_be_read(field: tuple[int, str, int], message: str) -> None:
    elf = changed(field)
    with pytest.raises(FormatError) as error:
        elf.sections  # noqa: B018
    assert str(error.value).startswith(message)
    elf.forget_sections()
    assert elf.sections == [] and elf.find(".text") is None


def with_segments(*rows: tuple[int, int, int, int, int]) -> Elf:
    """Segments of these types, offsets, addresses, and sizes in the file and in memory."""
    header = bytearray(SOUND[:64])
    struct.pack_into("<Q", header, 32, 64)
    struct.pack_into("<HHHHH", header, 54, 56, len(rows), 64, 0, 0)
    struct.pack_into("<Q", header, 40, 0)
    table = b"".join(
        struct.pack("<IIQQQQQQ", kind, 5, offset, address, address, size, memory, 1)
        for kind, offset, address, size, memory in rows
    )
    return Elf(MemorySource(bytes(header) + table + bytes(64), "a"))


def test_what_is_loaded_at_an_address() -> None:
    elf = with_segments((4, 0, 0x1000, 16, 16), (1, 100, 0x1000, 16, 32), (1, 200, 0x2000, 8, 8))
    places = (0xFFF, 0x1000, 0x100F, 0x1010, 0x1FFF, 0x2000, 0x2007, 0x2008)
    assert [elf.offset_of(address) for address in places] == [
        *(None, 100, 115, None),
        *(None, 200, 207, None),
    ]
    assert elf.end == 208


def test_the_dynamic_table_ends_at_its_mark() -> None:
    header = 64 + 56
    elf = with_segments((2, header, 0, 64, 64))
    rows = struct.pack("<qQqQqQqQ", 7, 1, 7, 2, 0, 0, 8, 3)
    data = elf.source.read(0, header) + rows
    found = Elf(MemorySource(data, "a"))
    assert list(found.dynamic_entries()) == [(7, 1), (7, 2)]
    assert found.dynamic == {7: 2}


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x7fELF\x01\x01", "32-bit ELF file"),
        (b"\x7fELF\x01\x02", "32-bit ELF file"),
        (b"\x7fELF\x02\x02", "big-endian ELF file"),
        (b"\x7fELF\x02\x01", ""),
        (b"\x7fELF\x03\x02", ""),
        (b"\x7fELF", ""),
    ],
)
def test_files_for_other_processors(head: bytes, kind: str) -> None:
    assert foreign_elf(head) == kind


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x7fELF", "a: offset 0x0: an ELF header has 64 bytes, here are 4"),
        (bytes(64), r"a: offset 0x0: not an ELF file: starts with b'\x00\x00\x00\x00'"),
        (SOUND[:4] + b"\1" + SOUND[5:], "a: offset 0x4: not a 64-bit little-endian ELF file"),
        (SOUND[:5] + b"\2" + SOUND[6:], "a: offset 0x4: not a 64-bit little-endian ELF file"),
    ],
)
def test_what_is_no_such_file(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as error:
        Elf(MemorySource(data, "a"))
    assert str(error.value) == message
