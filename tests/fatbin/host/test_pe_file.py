"""Headers of Windows files: what LIEF reads, and how damaged ones end."""

from __future__ import annotations

import warnings

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.host.pe_file import AMD64, PeSection, is_pe, read
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
