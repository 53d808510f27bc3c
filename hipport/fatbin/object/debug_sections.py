"""The sections of DWARF debug information in a code object, decompressed and relocated.

The numbers in them are read here as well. The libraries for Python would do it, but they trust
counts: 40 bytes keep them busy forever.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.compression import Stream
from hipport.fatbin.elf_file import ET_REL, RELA, SHT_NOBITS, SHT_RELA, Elf, Section
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits

NAMES = frozenset(
    (
        *(".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str"),
        ".debug_str_offsets",
    )
)
_COMPRESSED = 0x800  # gABI, SHF_COMPRESSED
_COMPRESSION_HEADER = struct.Struct("<IIQQ")  # gABI, Elf64_Chdr
_METHODS = {1: "zlib", 2: "zstd"}
# AMDGPUUsage, "Relocation Records": absolute ones of 64 and 32 bits. Between sections of debug
# information the symbol is the section's, whose value is 0 in an object that is not linked.
_WIDTHS = {3: 8, 6: 4}
_LONGEST_TEXT = 1 << 16
_CHARACTERS = 256
"""Bytes of a text that count as one entry."""
_LONGEST_NUMBER = 10
_FULL_LENGTH = 0xFFFFFFFF
_RESERVED_LENGTHS = 0xFFFFFFF0


class TooMuch(FormatError):
    """Raised for more debug information than the limit."""


class Budget:
    """How many entries of debug information may still be read."""

    def __init__(self, limits: Limits) -> None:
        self.left = limits.max_debug_entries


class Part:
    """The bytes of a section, and where faults in them are."""

    def __init__(self, name: str, data: bytes, source: Source, budget: Budget) -> None:
        self.name, self.data, self._source, self._budget = name, data, source, budget

    def fault(self, at: int, message: str) -> FormatError:
        return self._source.fault(0, f"{self.name}, offset {at:#x}: {message}")

    def spend(self, number: int) -> None:
        """Count what is read. Raises TooMuch once it is over the limit."""
        self._budget.left -= number
        if self._budget.left < 0:
            what = "more debug information than is read; kernels are matched without the rest"
            raise TooMuch(what, self._source.label, 0)

    def number(self, at: int, size: int) -> int:
        """An unsigned number of that many bytes."""
        if at < 0 or at + size > len(self.data):
            raise self.fault(at, "the debug information ends within a number")
        return int.from_bytes(self.data[at : at + size], "little")

    def leb128(self, at: int) -> tuple[int, int]:
        """An unsigned LEB128 number, and where it ends (DWARF 5, 7.6). For a signed one this says
        where it ends."""
        value = 0
        for index, byte in enumerate(self.data[at : at + _LONGEST_NUMBER]):
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return value, at + index + 1
        raise self.fault(at, "a number that does not end")

    def text(self, at: int) -> tuple[str, int]:
        """A text that ends with a zero, and the offset behind it."""
        end = self.data.find(b"\0", at, at + _LONGEST_TEXT)
        if end < 0:
            raise self.fault(at, "a text that does not end")
        self.spend(1 + (end - at) // _CHARACTERS)
        return self.data[at:end].decode("utf-8", "backslashreplace"), end + 1

    def length(self, at: int) -> tuple[int, int, int]:
        """The length at the start of a unit: where the unit ends, where it goes on, and the size
        of offsets in it (DWARF 5, 7.4)."""
        size, start, width = self.number(at, 4), at + 4, 4
        if size == _FULL_LENGTH:
            size, start, width = self.number(at + 4, 8), at + 12, 8
        elif size >= _RESERVED_LENGTHS:
            raise self.fault(at, f"a unit of the reserved length {size:#x}")
        if start + size > len(self.data):
            raise self.fault(at, f"a unit of {size} bytes reaches past the end")
        return start + size, start, width


def debug_sections(elf: Elf, limits: Limits, budget: Budget) -> dict[str, Part]:
    """Name -> content of the sections that exist. Raises FormatError for damage, and TooMuch
    if their total size is over the limit."""
    left = limits.max_debug
    found: dict[str, Part] = {}
    for section in elf.sections:
        if section.name in NAMES and section.name not in found and section.type != SHT_NOBITS:
            data = b"".join(_pieces(elf, section, left))
            left -= len(data)
            if left < 0:
                what = f"more than {limits.max_debug:,} bytes of debug information are not read"
                raise TooMuch(what, elf.source.label, 0)
            if elf.type == ET_REL:
                data = _relocated(elf, elf.sections.index(section), data)
            found[section.name] = Part(section.name, data, elf.source, budget)
    return found


def _pieces(elf: Elf, section: Section, limit: int) -> Iterator[bytes]:
    """The content, cut off behind the limit."""
    content = elf.content(section)
    if not section.flags & _COMPRESSED:
        yield content.head(0, limit + 1)
        return
    kind = _COMPRESSION_HEADER.unpack(content.read(0, _COMPRESSION_HEADER.size))[0]
    if kind not in _METHODS:
        raise content.fault(0, f"{section.name} is compressed in an unknown way: {kind}")
    start = _COMPRESSION_HEADER.size
    packed = Window(content, start, content.size - start)
    yield from Stream(packed, _METHODS[kind], limit).pieces()


def _relocated(elf: Elf, number: int, data: bytes) -> bytes:
    """The content of a section of an object that is not linked, with its relocations applied."""
    changed = bytearray(data)
    for section in elf.sections:
        if section.type != SHT_RELA or section.info != number:
            continue
        table = elf.content(section)
        for at, info, addend in RELA.iter_unpack(
            table.view(0, table.size // RELA.size * RELA.size)
        ):
            width = _WIDTHS.get(info & 0xFFFFFFFF, 0)
            if width and at + width <= len(changed):
                value = addend & ((1 << 8 * width) - 1)
                changed[at : at + width] = value.to_bytes(width, "little")
    return bytes(changed)
