"""The 24-byte wrappers of `.hipFatBinSegment`: magic, version, pointer to a bundle.

Clang, CodeGen/CGCUDANV.cpp: HIPFatMagic 0x48495046; kpack uses 0x4B504948 (bytes "HIPK") and
the last field as an index. In a library the pointer is filled in by a relocation; GNU ld also
leaves the value in place, lld does not.
"""

from __future__ import annotations

import struct

from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.elf_file import DT_RELA, DT_RELASZ, DT_SYMTAB, PF_W, PT_LOAD, Elf
from hipport.fatbin.limits import Limits
from hipport.named_tuples import NamedTuple

SIZE = 24
HIP, KPACK = 0x48495046, 0x4B504948
_WRAPPER = struct.Struct("<IIQQ")
_PATTERNS = (struct.pack("<II", HIP, 1), struct.pack("<II", KPACK, 1))
# Psabi of x86-64 and of AArch64: RELATIVE; R_X86_64_64 and R_AARCH64_ABS64.
_RELATIVE, _SYMBOLIC = (8, 1027), (1, 257)
_SYMBOL = struct.Struct("<6xHQ8x")
_ADDRESS = (1 << 64) - 1
_MAX_WRAPPERS = 1 << 16


class Wrapper(NamedTuple):
    address: int
    magic: int
    bundle_address: int
    bundle_offset: int | None
    """In the file; None if the pointer leads nowhere."""


def read_wrappers(elf: Elf, limits: Limits) -> list[Wrapper]:
    """The wrappers of a linked file, by address; from the section, or from writable segments."""
    section = elf.find(".hipFatBinSegment")
    if section is not None:
        areas = [(section.offset, section.address, section.size)]
    else:
        areas = [
            (s.offset, s.address, s.file_size)
            for s in elf.segments
            if s.type == PT_LOAD and s.flags & PF_W
        ]
    found: list[tuple[int, bytes]] = []
    for offset, address, size in areas:
        area = Window(elf.source, offset, size)
        found += [(address + at, area.read(at, SIZE)) for at in _scan(area)]
    if len(found) > _MAX_WRAPPERS:
        raise elf.source.fault(0, f"{len(found)} wrappers; the limit is {_MAX_WRAPPERS}")
    addends = relocated(elf, [address + 8 for address, _ in found])
    wrappers = []
    for address, data in found:
        magic, _, pointer, _ = _WRAPPER.unpack(data)
        pointer = addends.get(address + 8, pointer)
        offset_of = elf.offset_of(pointer) if pointer else None
        wrappers.append(Wrapper(address, magic, pointer, offset_of))
    return sorted(wrappers)


def _scan(area: Source) -> list[int]:
    """Offsets of both magics with version 1, aligned to 8."""
    places = []
    for offset in area.occurrences(*_PATTERNS):
        if offset % 8 == 0 and offset + SIZE <= area.size:
            places.append(offset)
            if len(places) > _MAX_WRAPPERS:
                break
    return places


def relocated(elf: Elf, addresses: list[int]) -> dict[int, int]:
    """What relocations put at these addresses: addends of relative ones, and symbols of the file
    itself, whose bundle is a global symbol with -fgpu-rdc. With DT_RELR the value is in place
    and needs no entry here."""
    wanted = set(addresses)
    values: dict[int, int] = {}
    symbols = elf.offset_of(elf.dynamic.get(DT_SYMTAB, -1)) if wanted else None
    for at, info, addend in elf.dynamic_relocations(DT_RELA, DT_RELASZ) if wanted else ():
        if at not in wanted:
            continue
        kind, index = info & 0xFFFFFFFF, info >> 32
        if kind in _RELATIVE:
            values[at] = addend & _ADDRESS
        elif kind in _SYMBOLIC and symbols is not None:
            row = elf.source.head(symbols + index * _SYMBOL.size, _SYMBOL.size)
            if len(row) == _SYMBOL.size:
                section, value = _SYMBOL.unpack(row)
                if section:  # 0 is SHN_UNDEF: another file has it
                    values[at] = value + addend & _ADDRESS
    return values


def count_wrappers(elf: Elf) -> int:
    """How many wrappers the file's section for them holds; 0 without such a section."""
    section = elf.find(".hipFatBinSegment")
    return 0 if section is None else len(_scan(elf.content(section)))


def kpack_reference(elf: Elf) -> tuple[str, list[str]]:
    """Kernel name and search paths of `.kpack_ref`, the marker of a kpack split."""
    from hipport.fatbin.object.metadata import decode_map

    section = elf.find(".rocm_kpack_ref", ".kpackrf")
    if section is None:
        return "", []
    marker = decode_map(elf.content(section), Limits())
    paths = marker.get("kpack_search_paths")
    return str(marker.get("kernel_name", "")), [str(p) for p in paths or [] if isinstance(p, str)]
