"""Directories of zip files changed by hand, with records of 64 bits, and what is damaged."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.packages.zip import members

ELF = b"\x7fELF" + bytes(60)
Change = tuple[int, str, int]
"""Where in a record, the form of the number, and the number."""


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("folder/", b"")
        archive.writestr("a", ELF)
        archive.writestr("b", ELF[:32], zipfile.ZIP_DEFLATED)
    return file.getvalue()


SOUND = zipped()
DIRECTORY, END = SOUND.find(b"PK\x01\x02"), SOUND.find(b"PK\x05\x06")
A = SOUND.find(b"PK\x01\x02", DIRECTORY + 1)
LOCAL_A = SOUND.find(b"PK\x03\x04", 4)


def read(data: bytes) -> list[str]:
    found = []
    for name, each in members(MemorySource(data, "z"), Limits()):
        if isinstance(each, FormatError):
            found.append(str(each).removeprefix("z: offset "))
        else:
            content = each.read(0, each.size)
            assert content == ELF[: each.size]
            found.append(f"{name} {each.size}")
    return found


def changed(place: int, *changes: Change) -> bytes:
    data = bytearray(SOUND)
    for at, form, value in changes:
        struct.pack_into(form, data, place + at, value)
    return bytes(data)


DAMAGED = {
    "nothing": (SOUND, ["a 64", "b 32"]),
    "fewer members": (changed(END, (10, "<H", 2)), ["a 64"]),
    "more members": (
        changed(END, (10, "<H", 4)),
        ["a 64", "b 32", f"{END:#x}: the directory is cut off"],
    ),
    "another magic": (changed(A, (0, "<B", 0)), [f"{A:#x}: a damaged directory entry"]),
    "no local header": (
        changed(LOCAL_A, (2, "<B", 0)),
        [f"{LOCAL_A:#x}: member 'a' has no local header", "b 32"],
    ),
    "encrypted": (
        changed(A, (8, "<H", 1)),
        [f"{LOCAL_A:#x}: member 'a' is encrypted", "b 32"],
    ),
    "another flag": (changed(A, (8, "<H", 2)), ["a 64", "b 32"]),
    "two sizes": (
        changed(A, (20, "<I", 63)),
        [f"{LOCAL_A:#x}: member 'a' is stored with two sizes: 63, 64", "b 32"],
    ),
    "an unknown method": (
        changed(A, (10, "<H", 99)),
        [f"{LOCAL_A:#x}: member 'a': unknown compression method 99", "b 32"],
    ),
    "LZMA, which is not read": (
        changed(A, (10, "<H", 14)),
        [f"{LOCAL_A:#x}: member 'a': unknown compression method 14", "b 32"],
    ),
    "an end that is cut off": (
        SOUND[:-1],
        ["0x0: a zip file without its directory's end record"],
    ),
    "a large directory": (
        changed(END, (12, "<I", (64 << 20) + 1)),
        [f"{END:#x}: a directory of 67108865 bytes; the limit is 67108864"],
    ),
    "a comment": (SOUND[:-2] + b"\x07\0comment", ["a 64", "b 32"]),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_in_a_file(name: str) -> None:
    data, wanted = DAMAGED[name]
    assert read(data) == wanted


@pytest.mark.parametrize("field", [(10, "<H", 0xFFFF), (12, "<I", 0xFFFFFFFF)])
def test_an_end_of_64_bits(field: Change) -> None:
    """APPNOTE 4.3.14 and 4.3.15; the place of the directory is always in the larger record."""
    size = END - DIRECTORY
    record = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 3, 3, size, DIRECTORY)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, END, 1)
    last = bytearray(SOUND[END:])
    struct.pack_into("<I", last, 16, 0)
    struct.pack_into(field[1], last, *field[::2])
    assert read(SOUND[:END] + record + locator + last) == ["a 64", "b 32"]
    struct.pack_into("<HI", last, 8, 3, 0)
    struct.pack_into("<HII", last, 10, 3, size, DIRECTORY)
    other = record.replace(b"PK\6\6", b"PK\6\5")
    assert read(SOUND[:END] + other + locator + last) == ["a 64", "b 32"]


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ([(24, "<I", 0xFFFFFFFF)], [64]),
        ([(20, "<I", 0xFFFFFFFF)], [64]),
        ([(42, "<I", 0xFFFFFFFF)], [LOCAL_A]),
        ([(20, "<I", 0xFFFFFFFF), (24, "<I", 0xFFFFFFFF)], [64, 64]),
        ([(24, "<I", 0xFFFFFFFF), (42, "<I", 0xFFFFFFFF)], [64, LOCAL_A]),
        ([], [1, 2, 3]),
    ],
)
def test_numbers_of_64_bits_in_the_extra_field(fields: list[Change], values: list[int]) -> None:
    """APPNOTE 4.5.3: those that have no room, in this order; other fields may come before."""
    body = b"".join(struct.pack("<Q", value) for value in values)
    extra = struct.pack("<HHI", 7, 4, 1) + struct.pack("<HH", 1, len(body)) + body + b"123"
    data = bytearray(changed(A, *fields, (30, "<H", len(extra))))
    after = A + 46 + 1
    data[after:after] = extra
    end = END + len(extra)
    struct.pack_into("<I", data, end + 12, end - DIRECTORY)
    assert read(bytes(data)) == ["a 64", "b 32"]
