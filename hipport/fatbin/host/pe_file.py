"""PE images and COFF objects, read by LIEF (Microsoft, "PE Format").

LIEF copies what it is given, and more: 660 MB for an image of 300 MB. Listing therefore gives it
the headers alone, wherever the device code is.
"""

from __future__ import annotations

import struct
from typing import Any

from hipport.fatbin.byte_source import Source
from hipport.named_tuples import NamedTuple

AMD64, ARM64 = 0x8664, 0xAA64
_COFF = struct.Struct("<HHIIIHH")
_SECTION_SIZE = 40
# ANON_OBJECT_HEADER_BIGOBJ: its class ID distinguishes it from an import object.
_BIG_CLASS = bytes.fromhex("c7a1bad1eebaa94baf20faf66aa4dcb8")
_BIG_HEADER_SIZE = 56
_UNINITIALIZED = 0x80
_HEADERS = 8 << 20
"""Bytes that LIEF gets to find the headers in: room for 200,000 sections."""
# PE format, "Optional Header Data Directories": imports, and those made at the first call.
_IMPORTS = (1, 13)


class PeSection(NamedTuple):
    name: str
    address: int
    """Relative to the image base; 0 in objects."""
    offset: int
    size: int
    """Bytes of content in the file: padding that is not loaded is left out."""


class Pe(NamedTuple):
    machine: int
    is_object: bool
    image_base: int
    sections: list[PeSection]
    imports: int
    """Where the list of imported DLLs is, relative to the image base; 0 for nowhere."""
    delayed_imports: int


def is_pe(head: bytes) -> bool:
    """Whether these are the first bytes of a PE image or of a COFF object for x64 or ARM64."""
    if head.startswith(b"MZ"):
        return True
    if head[:4] == b"\0\0\xff\xff":
        return head[12:28] == _BIG_CLASS
    if len(head) < 20:
        return False
    machine, count, _, table, _, optional, _ = _COFF.unpack_from(head)
    return machine in (AMD64, ARM64) and optional == 0 and 0 < count < 0xFF00 and table < 1 << 31


def read(source: Source) -> Pe:
    """The headers; raises FormatError when they are not all there."""
    return _image(source) if source.head(0, 2) == b"MZ" else _object(source)


def parse_image(data: bytes, *, headers_only: bool = False) -> Any:
    """LIEF's view of a PE image; None if it cannot read it."""
    lief = _lief()
    config = lief.PE.ParserConfig()
    if headers_only:
        config.parse_exports = config.parse_imports = config.parse_reloc = False
        config.parse_rsrc = config.parse_signature = config.parse_exceptions = False
    return lief.PE.parse(data, config)


def parse_object(data: bytes) -> Any:
    """LIEF's view of a COFF object; None if it cannot read it."""
    return _lief().COFF.parse(data)


def _lief() -> Any:
    """LIEF, which says nothing itself: neither of damage nor, as Python ends, of what is left."""
    import lief

    lief.logging.disable()
    lief.disable_leak_warning()
    return lief


def _image(source: Source) -> Pe:
    parsed = parse_image(source.head(0, _HEADERS), headers_only=True)
    if parsed is None:
        raise source.fault(min(60, source.size), "an MZ file without a PE header")
    header, at = parsed.header, parsed.dos_header.addressof_new_exeheader
    symbols, table = header.pointerto_symbol_table, at + 24 + header.sizeof_optional_header
    names_at = symbols + 18 * header.numberof_symbols if symbols else 0
    sections = _sections(source, parsed, table, header.numberof_sections, names_at, is_image=True)
    directories = [each.rva for each in parsed.data_directories]
    imports, delayed = (directories[index] if index < len(directories) else 0 for index in _IMPORTS)
    base = parsed.optional_header.imagebase
    return Pe(_machine(source, at + 4), False, base, sections, imports, delayed)


def _object(source: Source) -> Pe:
    parsed = parse_object(source.head(0, _HEADERS))
    if parsed is None:
        raise source.fault(0, "a COFF object whose header cannot be read")
    is_big = source.head(0, 4) == b"\0\0\xff\xff"
    header, table = parsed.header, _BIG_HEADER_SIZE if is_big else _COFF.size
    symbols, symbol_size = header.pointerto_symbol_table, 20 if is_big else 18
    names_at = symbols + symbol_size * header.nb_symbols if symbols else 0
    sections = _sections(source, parsed, table, header.nb_sections, names_at, is_image=False)
    return Pe(_machine(source, 6 if is_big else 0), True, 0, sections, 0, 0)


def _machine(source: Source, offset: int) -> int:
    """LIEF warns on stderr of a number that it does not know."""
    return int.from_bytes(source.read(offset, 2), "little")


def _sections(
    source: Source, parsed: Any, table: int, count: int, names_at: int, *, is_image: bool
) -> list[PeSection]:
    """The sections; they are counted, as LIEF leaves out those that it does not find."""
    source.check(table, count * _SECTION_SIZE)
    found = []
    for section in parsed.sections:
        size, memory = section.sizeof_raw_data, section.virtual_size
        offset, address = section.pointerto_raw_data, section.virtual_address
        if section.characteristics & _UNINITIALIZED or offset == 0:
            size = 0
        elif memory and is_image:
            size = min(size, memory)
        name = _name(source, bytes(section.fullname), names_at)
        found.append(PeSection(name, address, offset, size))
    if len(found) < count:
        raise source.fault(table, f"{count} sections, of which {len(found)} can be read")
    return found


def _name(source: Source, raw: bytes, names_at: int) -> str:
    """Names longer than 8 bytes are in the string table; `/<decimal offset>` says where."""
    name = raw.rstrip(b"\0")
    if name[:1] == b"/" and name[1:].isdigit() and names_at:
        name = source.head(names_at + int(name[1:]), 256).partition(b"\0")[0]
    return name.decode("utf-8", "backslashreplace")
