"""The host code of executables and shared objects, with section headers or without."""

from __future__ import annotations

import struct

from hipport.fatbin.elf_file import (
    DT_JMPREL,
    DT_PLTRELSZ,
    DT_RELA,
    DT_RELASZ,
    DT_STRSZ,
    DT_STRTAB,
    DT_SYMTAB,
    EM_AARCH64,
    ET_DYN,
    PF_X,
    PT_GNU_EH_FRAME,
    PT_LOAD,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHT_NOBITS,
    SHT_SYMTAB,
    Elf,
)
from hipport.fatbin.host.host_image import FUNCTIONS, READABLE, HostImage, unread

_SYMBOL_SIZE = 24
_MAX_CODE = 1 << 30
_MAX_FUNCTIONS = 1 << 21


def of_linked_elf(elf: Elf) -> HostImage | str:
    """The image of an executable or shared object; or why there is none. Section headers are
    not needed; where there are any, they say which part is code."""
    if elf.machine not in READABLE:
        return unread(elf)
    source = elf.source

    def read(address: int, size: int) -> bytes:
        offset = elf.offset_of(address)
        return b"" if offset is None else source.head(offset, size)

    code, total = [], 0
    for address, offset, size in _code_areas(elf):
        total += size
        if total > _MAX_CODE:
            return f"more host code than is searched ({_MAX_CODE} bytes)"
        code.append((address, source.view(offset, size)))
    image = HostImage(source, code, read, elf.offset_of)
    image.moves = elf.type == ET_DYN
    image.aarch64 = elf.machine == EM_AARCH64
    image.slots = _slots(elf)
    image.starts = _function_starts(elf)
    return image


def _code_areas(elf: Elf) -> list[tuple[int, int, int]]:
    """Address, offset and size of the code: the sections that hold it, or, without section
    headers, the executable segments, which may hold all read-only data too."""
    size_of_file = elf.source.size
    areas = [
        (section.address, section.offset, section.size)
        for section in elf.sections
        if section.flags & SHF_EXECINSTR and section.flags & SHF_ALLOC
        if section.type != SHT_NOBITS and section.offset + section.size <= size_of_file
    ]
    return areas or [
        (s.address, s.offset, min(s.file_size, max(0, size_of_file - s.offset)))
        for s in elf.segments
        if s.type == PT_LOAD and s.flags & PF_X
    ]


def _slots(elf: Elf) -> dict[int, str]:
    """Relocated pointers to the runtime's functions, found without section headers."""
    tags, source = elf.dynamic, elf.source
    strings_at = elf.offset_of(tags.get(DT_STRTAB, -1))
    symbols_at = elf.offset_of(tags.get(DT_SYMTAB, -1))
    if strings_at is None or symbols_at is None:
        return {}
    strings = source.head(strings_at, min(tags.get(DT_STRSZ, 0), 256 << 20))
    wanted: dict[int, str] = {}
    for name in FUNCTIONS:
        at = strings.find(b"\0" + name.encode() + b"\0")
        if at >= 0:
            wanted[at + 1] = name
    if not wanted:
        return {}
    slots: dict[int, str] = {}
    names: dict[int, str | None] = {}
    for tag, size_tag in ((DT_JMPREL, DT_PLTRELSZ), (DT_RELA, DT_RELASZ)):
        for at, info, _ in elf.dynamic_relocations(tag, size_tag):
            index = info >> 32
            if not index:
                continue
            if index not in names:
                if len(names) > _MAX_FUNCTIONS:
                    names.clear()
                head = source.head(symbols_at + index * _SYMBOL_SIZE, 4)
                names[index] = wanted.get(int.from_bytes(head, "little"))
            name_of = names[index]
            if name_of is not None:
                slots[at] = name_of
    return slots


def _function_starts(elf: Elf) -> list[int]:
    """From the search table of `.eh_frame_hdr`, which stripping leaves in place (LSB Core,
    "Exception Frames"); else from the symbol table."""
    for segment in elf.segments:
        if segment.type != PT_GNU_EH_FRAME:
            continue
        head = elf.source.head(segment.offset, 12)
        # Version 1; pointer as pcrel sdata4, count as udata4, table as datarel sdata4.
        if len(head) == 12 and head[0] == 1 and head[2:4] == b"\x03\x3b":
            count = int.from_bytes(head[8:12], "little")
            room = max(0, min(segment.file_size, elf.source.size - segment.offset) - 12)
            rows = min(count, room // 8, _MAX_FUNCTIONS)
            table = elf.source.view(segment.offset + 12, rows * 8)
            return sorted(segment.address + start for start, _ in struct.iter_unpack("<ii", table))
    return sorted({s.value for s in elf.symbols(SHT_SYMTAB) if s.info & 15 == 2 and s.value})
