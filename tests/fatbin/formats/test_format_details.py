"""What each format says of an entry beside its bytes, and what it says of one that is wrong."""

from __future__ import annotations

import struct

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import bare_code_object as code_object
from hipport.fatbin.formats import nv_fatbin, offload_binary
from hipport.fatbin.limits import Limits
from hipport.fatbin.reader import open_path
from tests.support.binaries import BINARY

LIMITS = Limits()
KINDS = {
    "bundles/plain.hipfb": ["", "", ""],
    "bundles/v3.hipfb": ["", "", ""],
    "bundles/text.ll": ["", ""],
    "handmade/offload-binary-2.bin": ["object", "object"],
    "handmade/nvidia.fatbin": ["cubin", "ptx (compressed)"],
    "handmade/plain.kpack": ["hsaco of lib/libfixture.so#0"] * 2,
    "handmade/zstd.kpack": ["hsaco of lib/libfixture.so#0"] * 2,
    "code-objects/v6-gfx1201.co": [""],
}
ENTRIES_AT = 32
"""Where the table is in the offload binary of the fixture; 40 bytes an entry."""


def content(name: str) -> bytearray:
    return bytearray((BINARY / name).read_bytes())


@pytest.mark.parametrize("name", KINDS)
def test_entries_are_numbered_and_know_their_bundle_and_kind(name: str) -> None:
    for binary in open_path(str(BINARY / name)):
        for bundle in binary.bundles:
            assert [entry.index for entry in bundle.entries] == list(range(len(KINDS[name])))
            assert all(entry.bundle is bundle for entry in bundle.entries)
            assert [entry.image_kind for entry in bundle.entries] == KINDS[name]


@pytest.mark.parametrize(("name", "compression"), [("plain", ""), ("zstd", "zstd")])
def test_kpack_archives_tell_version_and_compression(name: str, compression: str) -> None:
    (binary,) = open_path(str(BINARY / f"handmade/{name}.kpack"))
    (bundle,) = binary.bundles
    assert (bundle.format, bundle.version, bundle.compression) == ("kpack archive", 1, compression)


def test_a_code_object_ends_where_its_last_part_ends() -> None:
    data = content("code-objects/v6-gfx1201.co")
    bundle = code_object.read(MemorySource(bytes(data + bytes(100)), "object"), LIMITS)
    assert (bundle.format, bundle.version, bundle.size) == ("code object", 6, len(data))
    (entry,) = bundle.entries
    assert (entry.index, entry.id) == (0, "hip-amdgcn-amd-amdhsa--gfx1201")
    assert (entry.offset, entry.size, bundle.faults) == (0, len(data), [])


@pytest.mark.parametrize(("place", "value"), [(0, b"\x7fELG"), (4, b"\1"), (18, b"\x3e")])
def test_only_little_endian_64_bit_files_for_amdgpu_are_code_objects(
    place: int, value: bytes
) -> None:
    data = content("code-objects/v6-gfx1201.co")
    assert code_object.sniff(data[:64])
    data[place : place + len(value)] = value
    assert not code_object.sniff(data[:64])


def test_an_entry_of_an_offload_binary_past_the_end() -> None:
    data = content("handmade/offload-binary-2.bin")
    struct.pack_into("<Q", data, ENTRIES_AT + 40 + 32, len(data))
    bundle = offload_binary.read(MemorySource(bytes(data), "binary"), LIMITS)
    (fault,) = bundle.faults
    assert (fault.offset, (bundle.entries[1].offset, bundle.entries[1].size)) == (72, (0, 0))
    assert "entry 'hip-amdgcn-amd-amdhsa-gfx1201' reaches past the end" in str(fault)
    assert bundle.entries[0].size == 6360


@pytest.mark.parametrize(("image", "kind"), [(0, "none"), (6, "spirv"), (7, "7"), (900, "900")])
def test_kinds_in_offload_binaries(image: int, kind: str) -> None:
    data = content("handmade/offload-binary-2.bin")
    struct.pack_into("<HH", data, ENTRIES_AT, image, 16)
    bundle = offload_binary.read(MemorySource(bytes(data), "binary"), LIMITS)
    assert (bundle.entries[0].image_kind, bundle.entries[0].id[:3]) == (kind, "16-")


def test_versions_of_offload_binaries() -> None:
    data = content("handmade/offload-binary-2.bin")
    data[4] = 4
    with pytest.raises(FormatError, match="unknown version 4"):
        offload_binary.read(MemorySource(bytes(data), "binary"), LIMITS)
    data[4] = 3  # bytes 32 to 39 are the size before compression, 0 if there is none
    with pytest.raises(FormatError, match="a compressed offload binary") as caught:
        offload_binary.read(MemorySource(bytes(data), "binary"), LIMITS)
    assert caught.value.offset == 32


def test_images_of_nvidia_that_nobody_knows_or_that_do_not_fit() -> None:
    data = content("handmade/nvidia.fatbin")
    struct.pack_into("<H", data, 16, 77)
    bundle = nv_fatbin.read(MemorySource(bytes(data), "fatbin"), LIMITS)
    assert [entry.image_kind for entry in bundle.entries] == ["kind77", "ptx (compressed)"]
    struct.pack_into("<I", data, 20, 47)
    bundle = nv_fatbin.read(MemorySource(bytes(data), "fatbin"), LIMITS)
    assert (len(bundle.entries), [fault.offset for fault in bundle.faults]) == (0, [16])


@pytest.mark.parametrize(
    ("at", "value", "offset", "message"),
    [
        (8, 31, 8, "size 0x1f is wrong: {size:#x} bytes are there"),
        (8, 1 << 20, 8, "size 0x100000 is wrong: {size:#x} bytes are there"),
        (16, 1 << 20, 16, "2 entries at 0x100000 reach past the end"),
        (24, 5000, 24, "5000 entries; the limit is 4096"),
        (24, 4000, 16, "4000 entries at 0x20 reach past the end"),
        (ENTRIES_AT + 16, 1 << 30, ENTRIES_AT + 8, "a string table with 1073741824 entries"),
    ],
)
def test_numbers_of_offload_binaries_that_do_not_fit(
    at: int, value: int, offset: int, message: str
) -> None:
    data = content("handmade/offload-binary-2.bin")
    size = len(data)
    struct.pack_into("<Q", data, at, value)
    try:
        (fault,) = offload_binary.read(MemorySource(bytes(data), "binary"), LIMITS).faults
    except FormatError as error:
        fault = error
    assert str(fault) == f"binary: offset {offset:#x}: {message.format(size=size)}"
