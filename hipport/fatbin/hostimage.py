"""Host code as the loader would see it: what the search for registration calls needs."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from hipport.fatbin.elf import (
    DT_JMPREL,
    DT_PLTRELSZ,
    DT_RELA,
    DT_RELASZ,
    DT_STRSZ,
    DT_STRTAB,
    DT_SYMTAB,
    EM_X86_64,
    PF_X,
    PT_GNU_EH_FRAME,
    PT_LOAD,
    SHT_SYMTAB,
    Elf,
)
from hipport.fatbin.source import Source

# The runtime's functions and what they register (clang, CodeGen/CGCUDANV.cpp). In every one of
# them the device's name is the fourth argument.
FUNCTIONS = {
    "__hipRegisterFatBinary": "fatbin",
    "__hipRegisterFunction": "kernel",
    "__hipRegisterVar": "variable",
    "__hipRegisterManagedVar": "managed variable",
    "__hipRegisterSurface": "surface",
    "__hipRegisterTexture": "texture",
}
# System V gABI, "e_machine".
_MACHINES = {3: "x86", 21: "ppc64", 40: "arm", 183: "aarch64", 243: "riscv", 258: "loongarch"}
_RELA = struct.Struct("<QQq")
_SYMBOL_SIZE = 24
_MAX_CODE = 1 << 30
_MAX_FUNCTIONS = 1 << 21
_MAX_TEXT = 128 << 20


@dataclass
class HostImage:
    """Code and data by address. `slots` hold pointers to the runtime's functions, `stubs` jump
    to them; both map an address to the function's name."""

    source: Source
    code: list[tuple[int, memoryview]]
    read: Callable[[int, int], bytes]
    """Up to so many bytes at an address; empty where nothing is loaded."""
    offset_of: Callable[[int], int | None]
    slots: dict[int, str] = field(default_factory=dict)
    stubs: dict[int, str] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    """Where functions start, sorted; empty where that cannot be told."""
    windows: bool = False
    """Microsoft's calling convention instead of System V's."""
    text_left: int = _MAX_TEXT
    """Bytes of strings that may still be read: names in a hostile file may overlap."""

    def text(self, address: int) -> str | None:
        """The C string at an address, if a printable one of reasonable length is there."""
        data, size = b"", 256
        while b"\0" not in data and size <= 1 << 16:
            data = self.read(address, size)
            if len(data) < size and b"\0" not in data:
                return None
            size *= 4
        raw, end, _ = data.partition(b"\0")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            return None
        self.text_left -= len(text)
        if not end or not text or not text.isprintable() or self.text_left < 0:
            return None
        return text


def unread(elf: Elf) -> str:
    """Why the host code of another processor tells nothing."""
    name = _MACHINES.get(elf.machine, f"ELF machine {elf.machine}")
    return f"what the host code registers is not known: {name} code is not read, only x86-64"


def of_linked_elf(elf: Elf) -> HostImage | str:
    """The image of an executable or shared object, from its program headers alone; or why there
    is none."""
    if elf.machine != EM_X86_64:
        return unread(elf)
    source = elf.source

    def read(address: int, size: int) -> bytes:
        offset = elf.offset_of(address)
        return b"" if offset is None else source.head(offset, size)

    code = []
    for segment in elf.segments:
        if segment.type == PT_LOAD and segment.flags & PF_X:
            size = min(segment.file_size, max(0, source.size - segment.offset))
            if size > _MAX_CODE:
                return f"{size} bytes of host code are more than is searched ({_MAX_CODE})"
            code.append((segment.address, source.view(segment.offset, size)))
    image = HostImage(source, code, read, elf.offset_of)
    image.slots = _slots(elf)
    image.starts = _function_starts(elf)
    return image


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
        offset = elf.offset_of(tags.get(tag, -1))
        if offset is None:
            continue
        size = min(tags.get(size_tag, 0), source.size - offset) // _RELA.size * _RELA.size
        for at, info, _ in _RELA.iter_unpack(source.view(offset, size)):
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
