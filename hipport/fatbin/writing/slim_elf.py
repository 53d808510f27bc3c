"""A linked ELF file with smaller bundles. Only the addresses of bundles change.

The bundles are written one after the other from the start of their section. Whole pages behind
them leave the file: the segment is split in two there, and what follows keeps its addresses and
gets smaller offsets. The program headers that this needs go behind the bundles where there is no
room for them at the start of the file.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

from hipport.fatbin.elf_file import ET_DYN, ET_EXEC, PT_LOAD, Elf, Section, Segment
from hipport.fatbin.limits import Limits
from hipport.fatbin.writing.slim_bundles import NewBundle, alignment, copy, u64
from hipport.fatbin.writing.slim_moves import Patches, moves
from hipport.named_tuples import NamedTuple

PAGE = 4096
_PT_INTERP, _PT_PHDR = 3, 6
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION_SIZE = 64


class Layout(NamedTuple):
    """The layout of the new file. Offsets are those of the old file unless called new."""

    section: Section
    segment: Segment
    places: list[int]
    """New offset of each bundle."""
    end: int
    """Where the section ends now; the program headers follow if they move."""
    cut: tuple[int, int]
    """The bytes that leave the file."""
    split: bool
    """Whether the segment goes on behind the cut."""
    headers_move: bool
    patches: Patches

    def moved(self, offset: int) -> int:
        """The new offset of what is at an old one."""
        start, end = self.cut
        return offset if offset < end else offset - (end - start)


def plan(elf: Elf, bundles: list[NewBundle], limits: Limits) -> Layout | None:
    """How the file shrinks; None where nothing can be cut out for certain."""
    found = _holder(elf, bundles)
    if found is None:
        return None
    section, segment = found
    shift = section.address - section.offset
    old = [each.place for each in bundles]
    packed, patches = _packed(old, bundles, section), None
    if packed != old:
        addresses = {a + shift: b + shift for a, b in zip(old, packed, strict=True)}
        patches = moves(elf, section, addresses, limits)
    places = old if patches is None else packed
    # The runtime reads 4096 bytes from the start of a bundle (hipamd/src/hip_fatbin.cpp).
    ends = [
        place + max(each.content.size, PAGE) for place, each in zip(places, bundles, strict=True)
    ]
    section_end = section.offset + section.size
    end = min(max(ends), section_end)
    split = section_end < segment.offset + max(segment.file_size, segment.memory_size)
    moving = split and not _room_at_start(elf)
    room = (len(elf.segments) + 1) * _SEGMENT.size + 8 if moving else 0
    page = max([PAGE, *(s.align for s in elf.segments if s.type == PT_LOAD)])
    start = -(-(end + room + shift) // page) * page - shift
    stop = (section_end + shift) // page * page - shift
    if stop <= start or (moving and not _may_move_headers(elf, segment)):
        return None
    return Layout(section, segment, places, end, (start, stop), split, moving, patches or [])


def _holder(elf: Elf, bundles: list[NewBundle]) -> tuple[Section, Segment] | None:
    """The one section and the one segment with all bundles in them."""
    if elf.type not in (ET_DYN, ET_EXEC) or not bundles:
        return None
    first, last = bundles[0], bundles[-1]
    for section in elf.sections:
        end = section.offset + section.size
        if not section.offset <= first.place <= last.place + last.bundle.size <= end:
            continue
        touching = [
            s
            for s in elf.segments
            if s.offset < end and section.offset < s.offset + max(s.file_size, 1) and s.file_size
        ]
        if len(touching) != 1 or touching[0].type != PT_LOAD or not section.address:
            return None
        (segment,) = touching
        inside = segment.offset <= section.offset and end <= segment.offset + segment.file_size
        same = section.address - section.offset == segment.address - segment.offset
        return (section, segment) if inside and same else None
    return None


def _packed(old: list[int], bundles: list[NewBundle], section: Section) -> list[int]:
    align = alignment([place - section.offset for place in old])
    places, position = [], section.offset
    for each in bundles:
        places.append(position)
        position += -(-each.content.size // align) * align
    return places


def _room_at_start(elf: Elf) -> bool:
    """Whether one more program header fits behind the others."""
    end = elf.program_headers_at + (len(elf.segments) + 1) * _SEGMENT.size
    first = min((s.offset for s in elf.sections if s.offset and s.size), default=0)
    return end <= first


def _may_move_headers(elf: Elf, segment: Segment) -> bool:
    """Linux before 5.18 finds the headers of a program by their offset from its first segment."""
    first = next(s for s in elf.segments if s.type == PT_LOAD)
    program = any(s.type == _PT_INTERP for s in elf.segments)
    return not program or first.address - first.offset == segment.address - segment.offset


def write(elf: Elf, layout: Layout, bundles: list[NewBundle], file: BinaryIO) -> None:
    """Write the new file."""
    source, section, (start, stop) = elf.source, layout.section, layout.cut
    copy(source, 0, section.offset, file)
    for place, each in zip(layout.places, bundles, strict=True):
        file.seek(place)
        copy(each.content, 0, each.content.size, file)
    section_end = section.offset + section.size
    file.seek(layout.moved(section_end))  # what is left of the section's last page stays zero
    copy(source, section_end, source.size, file)
    file.truncate(source.size - (stop - start))
    for offset, data in layout.patches:
        file.seek(layout.moved(offset))
        file.write(data)
    _write_sections(elf, layout, file)
    _write_segments(elf, layout, file)


def _write_sections(elf: Elf, layout: Layout, file: BinaryIO) -> None:
    table = elf.section_headers_at
    file.seek(40)
    file.write(u64(layout.moved(table)))
    for number, section in enumerate(elf.sections):
        file.seek(layout.moved(table) + number * _SECTION_SIZE + 24)
        size = section.size
        if section is layout.section:
            size = layout.end - section.offset
        file.write(u64(layout.moved(section.offset)) + u64(size))


def _write_segments(elf: Elf, layout: Layout, file: BinaryIO) -> None:
    rows: list[tuple[int, ...]] = []
    start, stop = layout.cut
    for segment in elf.segments:
        row = list(segment.fields)
        if segment is layout.segment:
            tail = stop - segment.offset
            first = start - segment.offset
            rows.append((*row[:5], first, first, row[7]))
            if layout.split:
                rest = (row[5] - tail, row[6] - tail)
                moved = (start, row[3] + tail, row[4] + tail)
                rows.append((*row[:2], *moved, *rest, row[7]))
            continue
        row[2] = layout.moved(row[2])
        rows.append(tuple(row))
    old, place = elf.program_headers_at, elf.program_headers_at
    if layout.headers_move:
        file.seek(old)
        file.write(bytes(len(elf.segments) * _SEGMENT.size))
        place = -(-layout.end // 8) * 8
    address = place + layout.segment.address - layout.segment.offset
    size = len(rows) * _SEGMENT.size
    for index, fields in enumerate(rows):
        if fields[0] == _PT_PHDR:
            where = (place, address, address) if layout.headers_move else fields[2:5]
            rows[index] = (*fields[:2], *where, size, size, fields[7])
    file.seek(32)
    file.write(u64(place))
    file.seek(56)
    file.write(struct.pack("<H", len(rows)))
    file.seek(place)
    file.write(b"".join(_SEGMENT.pack(*fields) for fields in rows))
