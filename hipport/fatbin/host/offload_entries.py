"""The table of the new offload driver with -fgpu-rdc: one record for each kernel and variable.

llvm/lib/Frontend/Offloading/Utility.cpp, struct __tgt_offload_entry, 56 bytes: 8 zero bytes,
u16 version 1, u16 kind (4 HIP), u32 flags, pointers to the host symbol and the name, u64 size
(0 for a kernel), u64 data, pointer. A loop registers them, so that no call names them. LLVM 18 and
19 have a section only for HIP, with records of 32 bytes: pointers to the host symbol and the name,
u64 size, u32 flags, u32 data.
"""

from __future__ import annotations

import struct

from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.elf_file import PF_W, PT_LOAD, SHF_ALLOC, Elf, Section
from hipport.fatbin.host.host_image import HostImage
from hipport.fatbin.host.registration_calls import Call
from hipport.fatbin.host.wrappers import relocated
from hipport.lazy_regex import regex

SIZE = 56
SECTION = "llvm_offload_entries"
HIP = 4
_RECORD = struct.Struct("<QHHIQQQQQ")
_OLD_SECTION, _OLD_RECORD = "hip_offloading_entries", struct.Struct("<QQQII")
_KINDS = {0: "variable", 1: "managed variable", 2: "surface", 3: "texture"}
_PATTERN = regex(rb"\0{8}\x01\0\x04\0")
_MAX_AREA = 256 << 20


def of_elf(elf: Elf, image: HostImage) -> list[Call]:
    """The HIP records of a linked file: from their section, or found by their pattern in
    writable segments when there are no section headers."""
    section, old = elf.find(SECTION), elf.find(_OLD_SECTION)
    if old is not None:
        return _of_old(elf, image, old)
    if section is not None:
        areas = [(section.address, elf.content(section))] if section.flags & SHF_ALLOC else []
        places = [
            (address + at, area.read(at, SIZE))
            for address, area in areas
            for at in range(0, area.size - SIZE + 1, SIZE)
        ]
    elif elf.sections:
        return []
    else:
        places = [
            place
            for segment in elf.segments
            if segment.type == PT_LOAD and segment.flags & PF_W
            for place in _search(
                segment.address, Window(elf.source, segment.offset, segment.file_size)
            )
        ]
    addends = relocated(elf, [address + 24 for address, _ in places])
    return [call for place in places if (call := decode(*place, addends, image)) is not None]


def _of_old(elf: Elf, image: HostImage, section: Section) -> list[Call]:
    if not section.flags & SHF_ALLOC:
        return []
    content, size = elf.content(section), _OLD_RECORD.size
    places = range(0, content.size - size + 1, size)
    addends = relocated(elf, [section.address + at + 8 for at in places])
    calls = []
    for at in places:
        _, name, length, flags, _ = _OLD_RECORD.unpack(content.read(at, size))
        address = section.address + at
        what = "kernel" if length == 0 else _KINDS.get(flags & 7, "variable")
        text = image.text(addends.get(address + 8, name))
        calls.append(Call(address, what, text, None))
    return calls


def _search(address: int, area: Source) -> list[tuple[int, bytes]]:
    data = area.head(0, min(area.size, _MAX_AREA))
    return [
        (address + match.start(), data[match.start() : match.start() + SIZE])
        for match in _PATTERN.finditer(data)
        if match.start() % 8 == 0 and match.start() + SIZE <= len(data)
    ]


def decode(address: int, data: bytes, addends: dict[int, int], image: HostImage) -> Call | None:
    """The record as if it were a call; None if it is not a HIP record of version 1."""
    zero, version, kind, flags, _, name, size, _, _ = _RECORD.unpack(data)
    if zero or version != 1 or kind != HIP:
        return None
    what = "kernel" if size == 0 else _KINDS.get(flags & 7, "variable")
    return Call(address, what, image.text(addends.get(address + 24, name)), None)
