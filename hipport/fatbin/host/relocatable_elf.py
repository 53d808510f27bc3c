"""Host objects: a small link in memory, so that the search sees resolved addresses.

Sections are laid out one after the other, undefined functions of the runtime become stubs, and
the x86-64 relocations that clang emits for registration code are applied.
"""

from __future__ import annotations

from hipport.fatbin.elf_file import (
    EM_X86_64,
    RELA,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHT_NOBITS,
    SHT_RELA,
    SHT_SYMTAB,
    Elf,
    Section,
    Symbol,
)
from hipport.fatbin.host.host_image import HostImage, unread
from hipport.fatbin.host.object_layout import Layout, store
from hipport.fatbin.limits import Limits

# psABI, "Relocation Types": direct 64 and 32 bits; PC-relative ones, through PLT and GOT too.
_R_64, _R_32, _R_32S = 1, 10, 11
_PC_RELATIVE = (2, 4)  # R_X86_64_PC32, R_X86_64_PLT32
_VIA_GOT = (9, 41, 42)  # GOTPCREL, GOTPCRELX, REX_GOTPCRELX


def of_relocatable(elf: Elf, limits: Limits) -> HostImage | str:
    """The image of an ELF object; or why there is none."""
    if elf.machine != EM_X86_64:
        return unread(elf)
    layout, total = Layout(), 0
    for number, section in enumerate(elf.sections):
        # Device code is not needed for this and may be large: it gets an address only.
        if section.flags & SHF_ALLOC and section.type != SHT_NOBITS and section.size:
            large = section.name.startswith((".hip_fatbin", ".nv_fatbin"))
            total += 0 if large else section.size
            if total > limits.max_size:
                return f"more than {limits.max_size} bytes of host sections"
            content = b"" if large else elf.content(section).read(0, section.size)
            layout.add(number, bytearray(content))
    symbols = list(elf.symbols(SHT_SYMTAB))
    for section in elf.sections:
        if section.type == SHT_RELA and section.info in layout.places:
            _apply(elf, section, symbols, layout)
    code = [
        (address, memoryview(content))
        for number, (address, content) in layout.places.items()
        if elf.sections[number].flags & SHF_EXECINSTR
    ]

    def offset_of(address: int) -> int | None:
        for number, (start, content) in layout.places.items():
            section = elf.sections[number]
            if start <= address < start + max(len(content), 1):
                return section.offset + address - start
        return None

    image = HostImage(elf.source, code, layout.read, offset_of, layout.slots, layout.stubs)
    image.starts = sorted(
        {
            layout.places[symbol.section][0] + symbol.value
            for symbol in symbols
            if symbol.info & 15 == 2 and symbol.section in layout.places
        }
    )
    return image


def _apply(elf: Elf, section: Section, symbols: list[Symbol], layout: Layout) -> None:
    start, content = layout.places[section.info]
    table = elf.content(section)
    usable = table.size // RELA.size * RELA.size
    for offset, info, addend in RELA.iter_unpack(table.view(0, usable)):
        kind, index = info & 0xFFFFFFFF, info >> 32
        if index >= len(symbols) or offset + 4 > len(content):
            continue
        symbol = symbols[index]
        if symbol.section in layout.places:
            value: int | None = layout.places[symbol.section][0] + symbol.value
        else:
            value = layout.undefined(symbol.name, kind in _VIA_GOT)
        if value is None:
            continue
        if kind in _PC_RELATIVE or (kind in _VIA_GOT and value in layout.slots):
            store(content, offset, value + addend - start - offset, 4)
        elif kind in (_R_32, _R_32S):
            store(content, offset, value + addend, 4)
        elif kind == _R_64 and offset + 8 <= len(content):
            store(content, offset, value + addend, 8)
