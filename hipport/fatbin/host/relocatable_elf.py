"""Host objects: a small link in memory, so that the search sees resolved addresses.

Sections are laid out one after the other, undefined functions of the runtime become stubs, and
the relocations that clang emits for registration code are applied.
"""

from __future__ import annotations

from hipport.fatbin.elf_file import (
    EM_AARCH64,
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
from hipport.fatbin.host import aarch64_relocations as aarch64
from hipport.fatbin.host.host_image import READABLE, HostImage, unread
from hipport.fatbin.host.object_layout import GOT, Layout, store
from hipport.fatbin.limits import Limits

# psABI, "Relocation Types": direct 64 and 32 bits; PC-relative ones, through PLT and GOT too.
_R_64, _R_32, _R_32S = 1, 10, 11
_PC_RELATIVE = (2, 4)  # R_X86_64_PC32, R_X86_64_PLT32
# psABI, "Large Models": S + A - GOT, GOT + A - P, G + A.
_GOTOFF64, _GOTPC64, _GOT64 = 25, 29, 27
_OF_64_BITS = (_R_64, _GOTOFF64, _GOTPC64, _GOT64)
_VIA_GOT = (9, 41, 42, _GOT64)  # GOTPCREL, GOTPCRELX, REX_GOTPCRELX


def of_relocatable(elf: Elf, limits: Limits) -> HostImage | str:
    """The image of an ELF object; or why there is none."""
    if elf.machine not in READABLE:
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
    image.aarch64 = elf.machine == EM_AARCH64
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
    via_got = aarch64.VIA_GOT if elf.machine == EM_AARCH64 else _VIA_GOT
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
            value = layout.undefined(symbol.name, kind in via_got)
        if value is None:
            if kind != _GOTPC64:
                continue
            value = GOT
        if kind in via_got and value not in layout.slots:
            continue
        if elf.machine == EM_AARCH64:
            size = aarch64.size_of(kind)
            field = int.from_bytes(content[offset : offset + size], "little")
            number = aarch64.applied(kind, field, start + offset, value + addend)
        else:
            size = 8 if kind in _OF_64_BITS else 4
            number = _applied(kind, start + offset, value + addend)
        if number is not None and offset + size <= len(content):
            store(content, offset, number, size)


def _applied(kind: int, place: int, value: int) -> int | None:
    """What a relocation of x86-64 stores; None for a type that registration code has not."""
    if kind in _PC_RELATIVE or kind in _VIA_GOT[:3] or kind == _GOTPC64:
        return value - place
    if kind in (_R_32, _R_32S, _R_64):
        return value
    return value - GOT if kind in (_GOT64, _GOTOFF64) else None
