"""What the bytes of an entry are, and whether a device could load them as its ID promises."""

from __future__ import annotations

from hipport.fatbin.binary import BundleEntry
from hipport.fatbin.byte_source import Source
from hipport.fatbin.elf_file import MAGIC
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.object.code_object import OSABI_HSA, CodeObject
from hipport.fatbin.object.elf_flags import agrees
from hipport.fatbin.processors import processors
from hipport.fatbin.target_id import SPIRV
from hipport.named_tuples import NamedTuple

# First bytes of other contents of entries. SPIR-V: specification, "Magic Number".
_SPIRV_MAGIC = b"\x03\x02\x23\x07"
_OTHERS = (
    (_SPIRV_MAGIC, "SPIR-V"),
    (b"BC\xc0\xde", "LLVM bitcode, which is not linked yet"),
    (b"\xde\xc0\x17\x0b", "LLVM bitcode, which is not linked yet"),
    (b"__CLANG_OFFLOAD_BUNDLE__", "another offload bundle"),
    (b"CCOB", "another compressed bundle"),
    (b"\x10\xff\x10\xad", "an offload binary"),
)


class Look(NamedTuple):
    """One entry's image. `problem` says why no device can load it; empty if one can."""

    problem: str = ""


def look(entry: BundleEntry, source: Source, code_object: CodeObject | None) -> Look:
    """What the bytes are, compared with the entry's ID."""
    target = entry.target
    if target is None:
        return Look("its ID names no processor")
    head = source.head(0, 32)
    if target.processor == SPIRV:
        return Look("" if head.startswith(_SPIRV_MAGIC) else f"it holds {_what(head)}, no SPIR-V")
    if code_object is None:
        return Look(f"it holds {_what(head)}, no AMDGPU code")
    try:
        return Look(_problem(entry, code_object))
    except FormatError as error:
        return Look(f"it cannot be read: {error.problem}")


def _what(head: bytes) -> str:
    if head.startswith(MAGIC):
        return f"ELF code for machine {int.from_bytes(head[18:20], 'little')}"
    return next((name for magic, name in _OTHERS if head.startswith(magic)), "unknown bytes")


def _problem(entry: BundleEntry, code_object: CodeObject) -> str:
    flags = code_object.flags_target
    if not code_object.linked:
        return "its code is not linked"
    if code_object.elf.os_abi != OSABI_HSA:
        return f"its code is for another system than ROCm (OSABI {code_object.elf.os_abi})"
    assert entry.target is not None
    if not agrees(entry.target, flags.target, code_object.version):
        return f"its e_flags say {flags.target}"
    least = (
        processors()[flags.target.processor].version
        if flags.target.processor in processors()
        else 0
    )
    if flags.generic_version < least:
        return f"its generic version is {flags.generic_version}, the devices need {least}"
    # The loader reads segments.
    for segment in code_object.elf.segments:
        if segment.offset + segment.file_size > code_object.source.size:
            return "its segments reach past its end"
    return "" if code_object.elf.segments else "it has no segments to load"
