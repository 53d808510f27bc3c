"""Headers of Windows files: what LIEF reads, and how damaged ones end."""

from __future__ import annotations

import struct
import warnings

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.host.pe_file import AMD64, PeSection, is_pe, read
from hipport.fatbin.questions import needed_libraries
from hipport.fatbin.questions.needed_libraries import needed_by_pe
from tests.support.binaries import BINARY

IMAGE = (BINARY / "windows/kernels.dll").read_bytes()
OBJECT = (BINARY / "windows/kernels.obj").read_bytes()
PE_HEADER = int.from_bytes(IMAGE[60:64], "little")


def source(data: bytes) -> MemorySource:
    return MemorySource(data, "x")


def test_an_image() -> None:
    pe = read(source(IMAGE))
    assert (pe.machine, pe.is_object, pe.image_base) == (AMD64, False, 0x180000000)
    assert pe.sections[0] == PeSection(".text", 4096, 1024, 854)
    assert pe.sections[6] == PeSection(".hip_fat", 28672, 4096, 10600)
    assert needed_by_pe(source(IMAGE)) == ["amdhip64.dll"]


def test_an_object_has_long_names() -> None:
    pe = read(source(OBJECT))
    assert (pe.machine, pe.is_object, len(pe.sections)) == (AMD64, True, 19)
    assert [s for s in pe.sections if s.name.startswith(".hip")] == [
        PeSection(".hip_fatbin", 0, 2001, 10600),
        PeSection(".hipFatBinSegment", 0, 12601, 24),
    ]
    assert needed_by_pe(source(OBJECT)) == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"MZ", "x: offset 0x2: an MZ file without a PE header"),
        (IMAGE[:60] + bytes(200), "x: offset 0x3c: an MZ file without a PE header"),
        (IMAGE[:600], "x: offset 0x180: 320 bytes at 0x180 reach past the end (0x258)"),
        (OBJECT[:300], "x: offset 0x14: 760 bytes at 0x14 reach past the end (0x12c)"),
    ],
)
def test_headers_that_are_not_all_there(data: bytes, message: str) -> None:
    assert is_pe(data)
    with pytest.raises(FormatError) as error:
        read(source(data))
    assert str(error.value) == message


def test_an_unknown_machine_is_a_number_and_no_warning() -> None:
    data = IMAGE[: PE_HEADER + 4] + b"\x64\x00" + IMAGE[PE_HEADER + 6 :]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(source(data)).machine == 0x64


def with_a_big_header(data: bytes) -> bytes:
    """The object with ANON_OBJECT_HEADER_BIGOBJ, as `/bigobj` writes it (PE format; winnt.h).

    Its header has 56 bytes in place of 20, and each symbol 20 in place of 18.
    """
    machine, sections, time, symbols, count, _, _ = struct.unpack_from("<HHIIIHH", data)
    class_id = bytes.fromhex("c7a1bad1eebaa94baf20faf66aa4dcb8")
    head = struct.pack("<HHHHI", 0, 0xFFFF, 2, machine, time) + class_id
    head += struct.pack("<IIIIIII", 0, 0, 0, 0, sections, symbols + 36, count)
    rows = bytearray(data[20 : 20 + 40 * sections])
    for at in range(0, len(rows), 40):
        for field in (at + 20, at + 24):  # content and relocations
            (offset,) = struct.unpack_from("<I", rows, field)
            struct.pack_into("<I", rows, field, offset + 36 if offset else 0)
    table, left = b"", 0
    for at in range(symbols, symbols + 18 * count, 18):
        row = data[at : at + 18]
        if left:
            left, table = left - 1, table + row + bytes(2)
            continue
        number = int.from_bytes(row[12:14], "little", signed=True)
        table += row[:12] + number.to_bytes(4, "little", signed=True) + row[14:]
        left = row[17]
    return head + rows + data[20 + len(rows) : symbols] + table + data[symbols + 18 * count :]


def test_an_object_with_room_for_many_sections() -> None:
    data = with_a_big_header(OBJECT)
    plain, big = read(source(OBJECT)), read(source(data))
    assert is_pe(data)
    assert big == plain._replace(
        sections=[
            each._replace(offset=each.offset + 36 if each.offset else 0) for each in plain.sections
        ]
    )
    assert not is_pe(data[:12] + bytes(16) + data[28:])


def test_the_names_of_imported_libraries() -> None:
    """PE format, "Import Directory Table": five numbers an entry, the fourth is the name's place;
    "Delay-Load Directory Table": eight, the second is."""
    data = bytearray(512)
    sections = [PeSection(".text", 0x1000, 0, 0), PeSection(".idata", 0x2000, 100, 412)]
    struct.pack_into("<20x5I5I20x", data, 100, *(1, 0, 0, 0x2080, 0), *(0, 0, 0, 0x9000, 5))
    struct.pack_into("<5I", data, 160, 1, 0, 0, 0x2084, 0)
    struct.pack_into("<8I", data, 300, 1, 0x2080, 0, 0, 0, 0, 0, 0)
    data[228:238] = b"a\xffb\0c.dll\0"
    for address, size, name_at, names in (
        (0x2000, 20, 12, []),
        (0x2014, 20, 12, ["a\\xffb", "c.dll"]),
        (0x2014 + 20, 20, 12, ["c.dll"]),
        (0x203C, 20, 12, ["c.dll"]),
        (0x20C8, 32, 4, ["a\\xffb"]),
        (0x2000 + 412 - 19, 20, 12, []),
        (0x2000 + 412, 20, 12, []),
        (0x1000, 20, 12, []),
        (0, 20, 12, []),
    ):
        found = needed_libraries._imported(source(bytes(data)), sections, address, size, name_at)
        assert list(found) == names, hex(address)


def test_an_image_may_have_long_names_too() -> None:
    """GNU ld writes a symbol table into images, with the names behind it."""
    data = bytearray(IMAGE)
    at = PE_HEADER + 24 + 240 + 6 * 40
    assert data[at : at + 8] == b".hip_fat"
    data[at : at + 8] = b"/4\0\0\0\0\0\0"
    struct.pack_into("<II", data, PE_HEADER + 12, len(data), 2)
    table = bytes(36) + struct.pack("<I", 16) + b".hip_fatbin\0"
    assert read(source(bytes(data) + table)).sections[6].name == ".hip_fatbin"
    struct.pack_into("<II", data, PE_HEADER + 12, 0, 2)
    assert read(source(bytes(data) + table)).sections[6].name == "/4"
