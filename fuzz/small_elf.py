"""ELF files with nothing but a few named sections."""

from __future__ import annotations

import struct
from collections.abc import Mapping

_HEADER, _SECTION = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQIIQQ")
_PROGBITS, _STRTAB = 1, 3
_DYN, _AMDGPU = 3, 224


def small_elf(sections: Mapping[str, bytes]) -> bytes:
    """A shared object for AMDGPU with these sections (System V gABI, "ELF Header")."""
    names = b"\0" + b"".join(f"{name}\0".encode() for name in (*sections, ".shstrtab"))
    contents = {**sections, ".shstrtab": names}
    body, rows = b"", bytes(_SECTION.size)
    for name, content in contents.items():
        kind = _STRTAB if name == ".shstrtab" else _PROGBITS
        at = names.index(f"\0{name}\0".encode()) + 1
        place = _HEADER.size + len(body)
        rows += _SECTION.pack(at, kind, 0, 0, place, len(content), 0, 0, 1, 0)
        body += content
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    table, count = _HEADER.size + len(body), len(contents) + 1
    sizes = (_HEADER.size, 0, 0, _SECTION.size, count, count - 1)
    return _HEADER.pack(ident, _DYN, _AMDGPU, 1, 0, 0, table, 0, *sizes) + body + rows
