"""Whether bundles may move within their section, and what points at them if they do.

Only its wrapper points at a bundle (clang, CodeGen/CGCUDANV.cpp). This is checked: every
relocation into the section must be a wrapper's, no exported symbol may lie there, and no
instruction may load a bundle's address.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from hipport.fatbin.elf_file import (
    DT_JMPREL,
    DT_PLTRELSZ,
    DT_RELA,
    DT_RELASZ,
    EM_X86_64,
    ET_DYN,
    RELA,
    SHF_EXECINSTR,
    SHT_DYNSYM,
    SHT_NOBITS,
    SHT_SYMTAB,
    Elf,
    Section,
)
from hipport.fatbin.host.wrappers import read_wrappers
from hipport.fatbin.limits import Limits
from hipport.fatbin.writing.slim_bundles import u64
from hipport.lazy_regex import regex

Patches = list[tuple[int, bytes]]
"""Offset in the old file, and the bytes that go there."""
_DT_RELR, _DT_RELRSZ = 36, 35
_R_RELATIVE = (8, 1027)  # R_X86_64_RELATIVE, R_AARCH64_RELATIVE
_SYMBOL = struct.Struct("<IBBHQQ")
# lea with a displacement from the next instruction: REX.W, 8D, a register, four bytes.
_LEA = regex(rb"[\x48\x4c]\x8d[\x05\x0d\x15\x1d\x25\x2d\x35\x3d](?=....)", re.S)


def moves(elf: Elf, section: Section, places: dict[int, int], limits: Limits) -> Patches | None:
    """The patches that make bundles found at new addresses (old -> new); None where something
    else than a wrapper may point at them."""
    moved = {old: new for old, new in places.items() if old != new}
    if not moved:
        return []
    if elf.type != ET_DYN or elf.machine != EM_X86_64:
        return None  # absolute addresses in code
    wrappers = {w.address + 8: w.bundle_address for w in read_wrappers(elf, limits)}
    if set(wrappers.values()) != set(places) or len(wrappers) != len(places):
        return None
    patches = _relocations(elf, section, wrappers, moved)
    symbols = _symbols(elf, section, moved)
    if patches is None or symbols is None or _loaded(elf, moved):
        return None
    return patches + symbols


def _relocations(
    elf: Elf, section: Section, wrappers: dict[int, int], moved: dict[int, int]
) -> Patches | None:
    end = section.address + section.size
    patches: Patches = []
    found = set()
    for tag, size in ((DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)):
        table = elf.offset_of(elf.dynamic.get(tag, -1)) or 0
        for index, (at, info, addend) in enumerate(elf.dynamic_relocations(tag, size)):
            if at in wrappers and info & 0xFFFFFFFF not in _R_RELATIVE:
                return None
            if not section.address <= addend < end:
                continue
            if at not in wrappers:
                return None
            found.add(at)
            if addend in moved:
                patches.append((table + index * RELA.size + 16, u64(moved[addend])))
    in_place = set(_relative_in_place(elf))
    for at in in_place:
        offset = elf.offset_of(at)
        value = int.from_bytes(elf.source.head(offset, 8), "little") if offset is not None else 0
        if section.address <= value < end and at not in wrappers:
            return None
    if found | in_place & set(wrappers) != set(wrappers):
        return None
    for at, old in wrappers.items():
        # GNU ld writes the value there too.
        offset = elf.offset_of(at)
        if offset is not None and old in moved and elf.source.read(offset, 8) == u64(old):
            patches.append((offset, u64(moved[old])))
    return patches


def _relative_in_place(elf: Elf) -> Iterator[int]:
    """The addresses of the table of DT_RELR (gABI, "Relative Relocation Table")."""
    table = elf.offset_of(elf.dynamic.get(_DT_RELR, -1))
    if table is None:
        return
    size = min(elf.dynamic.get(_DT_RELRSZ, 0), elf.source.size - table) // 8 * 8
    base = 0
    for (word,) in struct.iter_unpack("<Q", elf.source.read(table, size)):
        if word & 1 == 0:
            yield word
            base = word + 8
            continue
        for bit in range(63):
            if word >> bit + 1 & 1:
                yield base + 8 * bit
        base += 63 * 8


def _symbols(elf: Elf, section: Section, moved: dict[int, int]) -> Patches | None:
    """Local symbols follow their bundle; any file may use an exported one."""
    patches: Patches = []
    number = elf.sections.index(section)
    for table in elf.sections:
        if table.type not in (SHT_SYMTAB, SHT_DYNSYM):
            continue
        content = elf.content(table)
        rows = content.view(0, content.size // _SYMBOL.size * _SYMBOL.size)
        for row, (_, _, _, index, value, _) in enumerate(_SYMBOL.iter_unpack(rows)):
            if index != number:
                continue
            if table.type == SHT_DYNSYM and value != section.address:
                return None
            if value in moved:
                patches.append((table.offset + row * _SYMBOL.size + 8, u64(moved[value])))
    return patches


def _loaded(elf: Elf, moved: dict[int, int]) -> bool:
    """Whether an instruction loads the old address of a bundle that moves."""
    for code in elf.sections:
        if not code.flags & SHF_EXECINSTR or code.type == SHT_NOBITS:
            continue
        data = elf.content(code).view(0, code.size)
        for match in _LEA.finditer(data):
            end = match.start() + 7
            displacement = int.from_bytes(data[end - 4 : end], "little", signed=True)
            if code.address + end + displacement in moved:
                return True
    return False
