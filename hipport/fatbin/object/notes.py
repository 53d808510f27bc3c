"""ELF notes read as bytes: LIEF cuts a descriptor at 1 MiB, and metadata grows to 2.4 MB."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.elf_file import PT_NOTE, SHT_NOTE, Elf
from hipport.fatbin.limits import Limits
from hipport.named_tuples import NamedTuple

_HEADER = struct.Struct("<III")
_MAX_NOTES = 4096


class Note(NamedTuple):
    name: bytes
    type: int
    content: Source


def notes(elf: Elf, limits: Limits) -> Iterator[Note]:
    """The notes of the note segments, or of the note sections where there are no segments.

    Names and descriptors are padded to 4 bytes (gABI, "Note Section", as AMDGPU uses it).
    """
    ranges = [(s.offset, s.file_size) for s in elf.segments if s.type == PT_NOTE]
    ranges = ranges or [(s.offset, s.size) for s in elf.sections if s.type == SHT_NOTE]
    count = 0
    for start, length in ranges:
        area = Window(elf.source, start, length)
        position = 0
        while position + _HEADER.size <= length:
            name_size, size, kind = _HEADER.unpack(area.read(position, _HEADER.size))
            content = position + _HEADER.size + (name_size + 3 & ~3)
            if content + size > length:
                raise area.fault(position, f"a note of {name_size} + {size} bytes does not fit")
            if size > limits.max_note:
                raise area.fault(
                    position, f"a note of {size} bytes; the limit is {limits.max_note}"
                )
            count += 1
            if count > _MAX_NOTES:
                raise area.fault(position, f"more than {_MAX_NOTES} notes")
            name = area.head(position + _HEADER.size, min(name_size, 64)).rstrip(b"\0")
            yield Note(name, kind, Window(area, content, size))
            position = content + (size + 3 & ~3)
