"""Why the image of an entry cannot be loaded, word by word."""

from __future__ import annotations

import struct

import pytest

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.questions.image_looks import look
from tests.support.binaries import BINARY

CODE = (BINARY / "code-objects/v6-gfx1201.co").read_bytes()
GENERIC = (BINARY / "code-objects/v6-gfx9-4-generic.co").read_bytes()
SPIRV = struct.pack("<I", 0x07230203) + bytes(16)
ID = "hipv4-amdgcn-amd-amdhsa--gfx1201"


def changed(at: int, form: str, value: int, data: bytes = CODE) -> bytes:
    new = bytearray(data)
    struct.pack_into(form, new, at, value)
    return bytes(new)


def problem(entry_id: str, data: bytes) -> str:
    source = MemorySource(data, "a")
    bundle = Bundle("offload bundle", source, len(data))
    entry = BundleEntry(bundle, 0, entry_id, 0, len(data))
    is_code = data[:4] == b"\x7fELF" and data[18:20] == b"\xe0\0"
    return look(entry, source, CodeObject(source, Limits()) if is_code else None).problem


@pytest.mark.parametrize(
    ("entry_id", "data", "said"),
    [
        (ID, CODE, ""),
        ("host-x86_64-unknown-linux-gnu-", CODE, "its ID names no processor"),
        ("hip-spirv64-amd-amdhsa--amdgcnspirv", SPIRV, ""),
        (
            "hip-spirv64-amd-amdhsa--amdgcnspirv",
            CODE,
            "it holds ELF code for machine 224, no SPIR-V",
        ),
        (ID, SPIRV, "it holds SPIR-V, no AMDGPU code"),
        (ID, b"BC\xc0\xde", "it holds LLVM bitcode, which is not linked yet, no AMDGPU code"),
        (
            ID,
            b"\xde\xc0\x17\x0b",
            "it holds LLVM bitcode, which is not linked yet, no AMDGPU code",
        ),
        (ID, b"__CLANG_OFFLOAD_BUNDLE__", "it holds another offload bundle, no AMDGPU code"),
        (ID, b"CCOB", "it holds another compressed bundle, no AMDGPU code"),
        (ID, b"\x10\xff\x10\xad", "it holds an offload binary, no AMDGPU code"),
        (ID, b"", "it holds unknown bytes, no AMDGPU code"),
        (ID, changed(18, "<H", 62), "it holds ELF code for machine 62, no AMDGPU code"),
        (ID, changed(16, "<H", 1), "its code is not linked"),
        (ID, changed(7, "<B", 65), "its code is for another system than ROCm (OSABI 65)"),
        ("hipv4-amdgcn-amd-amdhsa--gfx1200", CODE, "its e_flags say gfx1201"),
        (ID, changed(56, "<H", 0), "it has no segments to load"),
        (ID, changed(54, "<H", 55), "it cannot be read: a program header has 56 bytes, not 55"),
        (ID, CODE[:-1], ""),
        (ID, changed(64 + 32, "<Q", len(CODE)), "its segments reach past its end"),
        ("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", GENERIC, ""),
        (
            "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic",
            changed(51, "<B", 0, GENERIC),
            "its generic version is 0, the devices need 1",
        ),
    ],
)
def test_why_an_image_cannot_be_loaded(entry_id: str, data: bytes, said: str) -> None:
    assert problem(entry_id, data) == said
