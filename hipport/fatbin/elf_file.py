"""ELF64 little-endian headers read straight from the file: no section content, no copies.

LIEF reads a whole file before it answers (0.5 s and 550 MB for a library of 513 MB); listing
needs a few hundred bytes of it. Layouts: System V gABI, chapters 4 and 5.
"""

from __future__ import annotations

import struct
from functools import cached_property

from hipport.fatbin.byte_source import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hipport.fatbin.byte_source import Source

MAGIC = b"\x7fELF"
ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EM_X86_64, EM_AARCH64, EM_CUDA, EM_AMDGPU = 62, 183, 190, 224
PT_LOAD, PT_DYNAMIC, PT_NOTE = 1, 2, 4
PT_GNU_EH_FRAME = 0x6474E550
SHT_PROGBITS, SHT_SYMTAB, SHT_RELA, SHT_NOTE, SHT_NOBITS, SHT_DYNSYM = 1, 2, 4, 7, 8, 11
STT_OBJECT = 1
SHT_LLVM_OFFLOADING = 0x6FFF4C0B
SHF_ALLOC, SHF_EXECINSTR = 2, 4
PF_X, PF_W = 1, 2
DT_NULL, DT_PLTRELSZ, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ = 0, 2, 5, 6, 7, 8
DT_STRSZ, DT_JMPREL = 10, 23

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_DYNAMIC = struct.Struct("<qQ")
RELA = struct.Struct("<QQq")

# Far more than in any file; a Python object for each must fit into memory.
MAX_SECTIONS, MAX_SYMBOLS = 1 << 18, 1 << 20

KINDS = {ET_REL: "ELF relocatable", ET_EXEC: "ELF executable", ET_DYN: "ELF shared object"}


def foreign_elf(head: bytes) -> str:
    """The kind of ELF file, according to its first bytes, if it is not for a processor that ROCm
    runs on; else ""."""
    width, order = head[4:5], head[5:6]
    if width == b"\1":
        return "32-bit ELF file"
    return "big-endian ELF file" if width == b"\2" and order == b"\2" else ""


class Section:
    """A section header (gABI, "Section Header") with its name."""

    def __init__(self, name: str, header: tuple[int, ...]) -> None:
        self.name = name
        _, self.type, self.flags, self.address, self.offset, self.size, *rest = header
        self.link, self.info, self.align, self.entry_size = rest


class Segment:
    """A program header (gABI, "Program Header")."""

    def __init__(self, header: tuple[int, ...]) -> None:
        self.fields = header
        self.type, self.flags, self.offset, self.address, _, self.file_size, *rest = header
        self.memory_size, self.align = rest


class Symbol:
    """A symbol (gABI, "Symbol Table") with its name."""

    __slots__ = ("info", "name", "section", "size", "value")

    def __init__(self, name: str, info: int, section: int, value: int, size: int) -> None:
        self.name = name
        self.info = info
        self.section = section
        self.value = value
        self.size = size


class Elf:
    """The header of an ELF64 little-endian file; everything else is read when asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source
        if source.size < _HEADER.size:
            raise source.fault(0, f"an ELF header has 64 bytes, here are {source.size}")
        fields = _HEADER.unpack(source.read(0, _HEADER.size))
        ident: bytes = fields[0]
        if ident[:4] != MAGIC:
            raise source.fault(0, f"not an ELF file: starts with {ident[:4]!r}")
        if ident[4] != 2 or ident[5] != 1:
            raise source.fault(4, "not a 64-bit little-endian ELF file")
        self.os_abi, self.abi_version = ident[7], ident[8]
        self.type: int = fields[1]
        self.machine: int = fields[2]
        self.flags: int = fields[7]
        self._segments_at: tuple[int, int, int] = (fields[5], fields[9], fields[10])
        self._sections_at: tuple[int, int, int] = (fields[6], fields[11], fields[12])
        self._names_index: int = fields[13]

    @property
    def program_headers_at(self) -> int:
        """Where the program headers are in the file."""
        return self._segments_at[0]

    @property
    def section_headers_at(self) -> int:
        """Where the section headers are in the file."""
        return self._sections_at[0]

    @cached_property
    def segments(self) -> list[Segment]:
        """The program headers."""
        offset, entry_size, count = self._segments_at
        if count == 0:
            return []
        if entry_size != _SEGMENT.size:
            raise self.source.fault(54, f"a program header has 56 bytes, not {entry_size}")
        table = self.source.read(offset, entry_size * count)
        return [Segment(header) for header in _SEGMENT.iter_unpack(table)]

    @cached_property
    def sections(self) -> list[Section]:
        """The section headers with their names; empty when the file has none."""
        offset, entry_size, count = self._sections_at
        if offset == 0:
            return []
        if entry_size != _SECTION.size:
            raise self.source.fault(58, f"a section header has 64 bytes, not {entry_size}")
        names_index = self._names_index
        if count == 0 or names_index == 0xFFFF:
            # gABI, "ELF header": counts that do not fit are in the first section header.
            first = _SECTION.unpack(self.source.read(offset, _SECTION.size))
            count = count or first[5]
            names_index = first[6] if names_index == 0xFFFF else names_index
        if count > MAX_SECTIONS:
            raise self.source.fault(60, f"{count} sections; the limit is {MAX_SECTIONS}")
        table = list(_SECTION.iter_unpack(self.source.read(offset, entry_size * count)))
        names = b""
        if 0 < names_index < count:
            at, size = table[names_index][4:6]
            self.source.check(at, size)
            names = self.source.read(at, min(size, 1 << 20))
        return [Section(_name(names, header[0]), header) for header in table]

    @property
    def end(self) -> int:
        """Bytes up to the end of the last header, segment or section."""
        offset, entry_size, count = self._sections_at
        ends = [_HEADER.size, offset + entry_size * count]
        ends += [s.offset + s.file_size for s in self.segments]
        ends += [s.offset + s.size for s in self.sections if s.type != SHT_NOBITS]
        return max(ends)

    def forget_sections(self) -> None:
        """Treat the file as having no section headers, because they cannot be read."""
        self.__dict__["sections"] = []

    def content(self, section: Section) -> Source:
        """The bytes of a section in the file."""
        size = 0 if section.type == SHT_NOBITS else section.size
        return Window(self.source, section.offset, size)

    def find(self, *names: str) -> Section | None:
        """The first section that has one of these names."""
        return next((s for s in self.sections if s.name in names), None)

    def offset_of(self, address: int) -> int | None:
        """The file offset that is loaded at this address; None if none is."""
        for segment in self.segments:
            if segment.type == PT_LOAD and 0 <= address - segment.address < segment.file_size:
                return segment.offset + address - segment.address
        return None

    @cached_property
    def dynamic(self) -> dict[int, int]:
        """Tags of the dynamic table (the last of each)."""
        return dict(self.dynamic_entries())

    def dynamic_entries(self) -> Iterator[tuple[int, int]]:
        """Tag and value of each entry of the dynamic table (gABI, "Dynamic Section")."""
        for segment in self.segments:
            if segment.type == PT_DYNAMIC:
                size = min(segment.file_size, 1 << 16) // _DYNAMIC.size * _DYNAMIC.size
                for tag, value in _DYNAMIC.iter_unpack(self.source.read(segment.offset, size)):
                    if tag == DT_NULL:
                        break
                    yield tag, value

    def dynamic_relocations(self, tag: int, size_tag: int) -> Iterator[tuple[int, int, int]]:
        """Address, info and addend of each entry of the table that a dynamic tag points at."""
        offset = self.offset_of(self.dynamic.get(tag, -1))
        if offset is None:
            return iter(())
        size = min(self.dynamic.get(size_tag, 0), self.source.size - offset)
        return RELA.iter_unpack(self.source.view(offset, size // RELA.size * RELA.size))

    def objects(self, type: int, size: int) -> Iterator[tuple[str, int]]:
        """Name and value of the data symbols of that size in the tables of that type. Others are
        skipped without reading their names."""
        for section in self.sections:
            if section.type != type or section.link >= len(self.sections):
                continue
            names = self.sections[section.link]
            strings = bytes(self.content(names).view(0, names.size))
            table = self.content(section)
            usable = min(table.size // _SYMBOL.size, MAX_SYMBOLS) * _SYMBOL.size
            for name, info, _, index, value, own in _SYMBOL.iter_unpack(table.view(0, usable)):
                if own == size and info & 15 == STT_OBJECT and index:
                    yield _name(strings, name), value

    def symbols(self, *types: int) -> Iterator[Symbol]:
        """The symbols of the symbol tables of these section types."""
        sections = self.sections
        for section in sections:
            if section.type not in types or section.link >= len(sections):
                continue
            strings = bytes(
                self.content(sections[section.link]).view(0, sections[section.link].size)
            )
            table = self.content(section)
            usable = table.size // _SYMBOL.size * _SYMBOL.size
            if usable // _SYMBOL.size > MAX_SYMBOLS:
                raise table.fault(0, f"more than {MAX_SYMBOLS} symbols")
            for name, info, _, index, value, size in _SYMBOL.iter_unpack(table.view(0, usable)):
                yield Symbol(_name(strings, name), info, index, value, size)


def _name(strings: bytes, offset: int) -> str:
    end = strings.find(b"\0", offset)
    return strings[offset : end if end >= 0 else None].decode("utf-8", "backslashreplace")
