"""Section tables of PE images and COFF objects (Microsoft, "PE Format")."""

from __future__ import annotations

import struct
from typing import NamedTuple

from hipport.fatbin.byte_source import Source

AMD64, ARM64 = 0x8664, 0xAA64
_COFF = struct.Struct("<HHIIIHH")
_SECTION = struct.Struct("<8sIIIIIIHHI")
# ANON_OBJECT_HEADER_BIGOBJ: its class ID tells it from an import object.
_BIG_CLASS = bytes.fromhex("c7a1bad1eebaa94baf20faf66aa4dcb8")
_UNINITIALISED = 0x80


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
    """The section table; raises FormatError when it is not all there."""
    head = source.head(0, 64)
    image_base, position = 0, 0
    is_object = not head.startswith(b"MZ")
    if not is_object:
        if len(head) < 64:
            raise source.fault(0, "a DOS header that is cut off")
        position = int.from_bytes(head[60:64], "little")
        if source.head(position, 4) != b"PE\0\0":
            raise source.fault(60, "an MZ file without a PE header")
        position += 4
    if is_object and head[:4] == b"\0\0\xff\xff":
        machine, count, table, symbols = struct.unpack_from("<H36xIII", source.read(0, 56), 6)
        names_at = table + 20 * symbols
        position = 56
    else:
        machine, count, _, table, symbols, optional, _ = _COFF.unpack(
            source.read(position, _COFF.size)
        )
        names_at = table + 18 * symbols if table else 0
        position += _COFF.size
        if optional >= 32:
            image_base = int.from_bytes(source.read(position + 24, 8), "little")
        position += optional
    if count > 1 << 18:
        raise source.fault(2, f"{count} sections")
    table_bytes = source.read(position, count * _SECTION.size)
    sections = []
    for raw, memory, address, size, offset, _, _, _, _, flags in _SECTION.iter_unpack(table_bytes):
        if flags & _UNINITIALISED or offset == 0:
            size = 0
        elif memory and not is_object:
            size = min(size, memory)
        sections.append(PeSection(_name(source, raw, names_at), address, offset, size))
    return Pe(machine, is_object, image_base, sections)


def _name(source: Source, raw: bytes, names_at: int) -> str:
    """Names longer than 8 bytes stand in the string table as `/<decimal offset>`."""
    name = raw.rstrip(b"\0")
    if name[:1] == b"/" and name[1:].isdigit() and names_at:
        name = source.head(names_at + int(name[1:]), 256).partition(b"\0")[0]
    return name.decode("utf-8", "backslashreplace")
