"""What readers say, word by word, of content that is cut off in its header, or of another kind."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest

from fuzz.small_elf import small_elf
from hipport.fatbin.byte_source import MemorySource, Source
from hipport.fatbin.elf_file import Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import (
    aotriton,
    bare_code_object,
    bare_cubin,
    compressed_bundle,
    kpack,
    nv_fatbin,
    offload_binary,
)
from hipport.fatbin.host import host_image, pe_host_image
from hipport.fatbin.limits import Limits
from hipport.fatbin.object import bitcode, spirv
from hipport.fatbin.package_kinds import compression, is_ar, is_plain_tar, is_zip, not_opened
from tests.support.binaries import BINARY

ELF = small_elf({".text": b"1234"})
VERSION_1 = struct.pack("<4sIQQQ", b"\x10\xff\x10\xad", 1, 80, 32, 41) + bytes(48)
SPIRV = struct.pack("<5I", 0x07230203, 0x10000, 0, 9, 0)


def machine(number: int) -> bytes:
    return ELF[:18] + struct.pack("<H", number) + ELF[20:]


READERS: list[tuple[Callable[[Source, Limits], Any], bytes, str]] = [
    (aotriton.read, b"AKS2", "0x0: an AOTriton archive that is cut off in its header"),
    (bare_code_object.read, machine(62), "0x12: not an AMDGPU code object: ELF machine 62"),
    (bare_cubin.read, ELF[:40] + bytes(8) + ELF[48:], "0x28: a cubin without sections"),
    (
        compressed_bundle.read,
        b"CCOB123",
        "0x0: not a compressed bundle, or cut off in its header",
    ),
    (
        compressed_bundle.read,
        b"CCOC1234",
        "0x0: not a compressed bundle, or cut off in its header",
    ),
    (kpack.read, b"KPAK" + bytes(11), "0x0: a kpack archive that is cut off in its header"),
    (
        kpack.read,
        b"KPAK" + struct.pack("<IQ", 1, 16) + b"\x81\xb2compression_scheme\xa3lz4",
        "0x10: unknown compression scheme 'lz4'",
    ),
    (nv_fatbin.read, bytes(15), "0x0: an NVIDIA fatbin that is cut off in its header"),
    (
        offload_binary.read,
        VERSION_1[:31],
        "0x0: an offload binary that is cut off in its header",
    ),
    (offload_binary.read, VERSION_1, "0x18: an entry has 40 bytes, not 41"),
    (spirv.kernel_names, SPIRV[:19], "0x0: no SPIR-V module, or cut off in its header"),
    (spirv.kernel_names, b"\0" + SPIRV, "0x0: no SPIR-V module, or cut off in its header"),
    (
        spirv.kernel_names,
        SPIRV + struct.pack("<II", 2 << 16 | 14, 1) + struct.pack("<I", 9 << 16 | 17),
        "0x1c: an instruction of 36 bytes does not fit",
    ),
    (spirv.kernel_names, SPIRV + bytes(4), "0x14: an instruction of 0 bytes does not fit"),
    (bitcode.kernel_names, b"BC\xc0", "0x0: no LLVM bitcode"),
    (
        bitcode.kernel_names,
        struct.pack("<5I", 0x0B17C0DE, 0, 20, 8, 7),
        "0x14: 8 bytes at 0x14 reach past the end (0x14)",
    ),
]


@pytest.mark.parametrize("row", range(len(READERS)))
def test_what_cannot_be_read(row: int) -> None:
    read, data, message = READERS[row]
    with pytest.raises(FormatError) as error:
        read(MemorySource(data, "a"), Limits())
    assert str(error.value) == f"a: offset {message}"


def test_the_kernels_of_a_module_of_spirv() -> None:
    """SPIR-V, "OpEntryPoint": execution model, function, name; model 6 is a kernel."""

    def entry(model: int, name: bytes) -> bytes:
        body = struct.pack("<II", model, 7) + name.ljust(len(name) // 4 * 4 + 4, b"\0")
        return struct.pack("<I", (4 + len(body)) // 4 << 16 | 15) + body

    function = struct.pack("<II", 2 << 16 | 54, 1)
    data = SPIRV + entry(6, b"one") + entry(5, b"other") + entry(6, b"four") + function
    data += entry(6, b"behind")
    assert spirv.kernel_names(MemorySource(data, "a"), Limits()) == ["one", "four"]
    assert spirv.kernel_names(MemorySource(data, "a"), Limits(max_kernels=2)) == ["one", "four"]
    with pytest.raises(FormatError, match="more than 1 kernels"):
        spirv.kernel_names(MemorySource(data, "a"), Limits(max_kernels=1))


def test_host_code_that_is_not_read() -> None:
    for number, name in ((243, "riscv"), (21, "ppc64"), (1000, "ELF machine 1000")):
        assert host_image.unread(Elf(MemorySource(machine(number), "a"))) == (
            f"what the host code registers is not known: {name} code is not read, "
            "only x86-64 and AArch64"
        )
    data = bytearray((BINARY / "windows/kernels.obj").read_bytes())
    data[:2] = b"\x64\xaa"
    assert pe_host_image.of_pe(MemorySource(bytes(data), "a"), Limits()) == (
        "what the host code registers is not known: PE machine 0xaa64 code is not read, only x64"
    )


KINDS = {
    b"\x04\x22\x4d\x18": "an lz4 file",
    b"\x02\x21\x4c\x18": "an lz4 file",
    b"7z\xbc\xaf\x27\x1c": "a 7z file",
    b"\xed\xab\xee\xdb": "an rpm package",
    b"LZIP\x01": "an lzip file",
    b"Rar!\x1a\x07": "a RAR file",
}
MAYBE = {b"\x5d\0\0": "an lzma file", b"\x1f\x9d": "a file of compress"}
COMPRESSED = {
    b"BZh91AY&SY": "bz2",
    b"BZh9\x17rE8P\x90": "bz2",
    b"BZh91AY&SZ": "",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x28\xb5\x2f": "",
}


def test_packages_by_their_first_bytes() -> None:
    for head, kind in KINDS.items():
        assert not_opened(head + b"x") == not_opened(head, named=True) == kind
        assert not_opened(head[:-1]) == ""
    for head, kind in MAYBE.items():
        assert (not_opened(head), not_opened(head, named=True)) == ("", kind)
    assert {head: compression(head) for head in COMPRESSED} == COMPRESSED
    assert [is_ar(head) for head in (b"!<arch>\n", b"!<thin>\n", b"!<arch>")] == [True, True, False]
    assert [is_zip(head) for head in (b"PK\3\4", b"PK\5\6", b"PK\7\10")] == [True, True, False]
    assert is_plain_tar(bytes(257) + b"ustar") and not is_plain_tar(bytes(258) + b"ustar")
