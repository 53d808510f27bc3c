"""Windows hosts: LIEF reads imports, symbols and relocations; the search is the same.

In Microsoft's x64 calling convention the fourth argument, the device's name, is in r9.
"""

from __future__ import annotations

import struct
import warnings
from typing import Any

from hipport.fatbin.byte_source import Source
from hipport.fatbin.host.host_image import FUNCTIONS, HostImage
from hipport.fatbin.host.object_layout import Layout, store
from hipport.fatbin.host.pe_file import (
    AMD64,
    Pe,
    PeSection,
    parse_image,
    parse_object,
)
from hipport.fatbin.host.pe_file import read as read_pe
from hipport.fatbin.limits import RAISE_LIMIT, Limits

_EXECUTABLE = 0x20000000
# PE format, "x64 Processors": ADDR64, ADDR32, REL32 to REL32_5.
_ADDR64, _ADDR32, _REL32, _REL32_5 = 1, 2, 4, 9
_FUNCTION_TYPE = 0x20


def of_pe(source: Source, limits: Limits) -> HostImage | str:
    """The image of a PE file or COFF object; or why there is none."""
    pe = read_pe(source)
    if pe.machine != AMD64:
        what = f"PE machine {pe.machine:#x}"
        return f"what the host code registers is not known: {what} code is not read, only x64"
    if source.size > limits.max_size:
        raise source.fault(0, f"{source.size} bytes of host code", remedy=RAISE_LIMIT)
    data = bytes(source.view(0, source.size))
    parsed = parse_object(data) if pe.is_object else parse_image(data)
    if parsed is None:
        return "LIEF cannot read this file's symbols"
    with warnings.catch_warnings():  # of numbers that LIEF has no name for
        warnings.simplefilter("ignore", RuntimeWarning)
        return (_object if pe.is_object else _image)(source, pe, parsed)


def _image(source: Source, pe: Pe, parsed: Any) -> HostImage:
    base = pe.image_base
    loaded = [s for s in pe.sections if s.size and s.offset + s.size <= source.size]

    def section_at(address: int) -> PeSection | None:
        return next((s for s in loaded if 0 <= address - base - s.address < s.size), None)

    def read(address: int, size: int) -> bytes:
        section = section_at(address)
        if section is None:
            return b""
        inside = address - base - section.address
        return source.read(section.offset + inside, min(size, section.size - inside))

    def offset_of(address: int) -> int | None:
        section = section_at(address)
        return None if section is None else section.offset + address - base - section.address

    executable = {s.virtual_address for s in parsed.sections if s.characteristics & _EXECUTABLE}
    code = [
        (base + s.address, source.view(s.offset, s.size)) for s in loaded if s.address in executable
    ]
    image = HostImage(source, code, read, offset_of, windows=True)
    image.slots = {
        base + entry.iat_address: str(entry.name)
        for library in parsed.imports
        for entry in library.entries
        if entry.name in FUNCTIONS
    }
    # .pdata: begin, end and unwind information of each function, relative to the base.
    for section in loaded:
        if section.name == ".pdata":
            table = source.view(section.offset, section.size // 12 * 12)
            image.starts = sorted(base + row[0] for row in struct.iter_unpack("<III", table))
    return image


def _object(source: Source, pe: Pe, parsed: Any) -> HostImage:
    layout = Layout()
    sections = list(parsed.sections)
    for number, section in enumerate(pe.sections, 1):
        # Device code is not needed for this and may be large: it gets an address only.
        size = 0 if section.name == ".hip_fatbin" else section.size
        layout.add(number, bytearray(source.read(section.offset, size)))
    starts = []
    for symbol in parsed.symbols:
        if symbol.section_idx in layout.places and int(symbol.base_type) == 0:
            start = layout.places[symbol.section_idx][0] + symbol.value
            if int(symbol.complex_type) << 4 == _FUNCTION_TYPE:
                starts.append(start)
    for number, section in enumerate(sections, 1):
        for relocation in section.relocations:
            _apply(layout, number, relocation)
    code = [
        (layout.places[number][0], memoryview(layout.places[number][1]))
        for number, section in enumerate(sections, 1)
        if section.characteristics & _EXECUTABLE
    ]

    def offset_of(address: int) -> int | None:
        for number, (start, content) in layout.places.items():
            if start <= address < start + max(len(content), 1):
                return pe.sections[number - 1].offset + address - start
        return None

    return HostImage(
        source,
        code,
        layout.read,
        offset_of,
        layout.slots,
        layout.stubs,
        sorted(starts),
        windows=True,
    )


def _apply(layout: Layout, number: int, relocation: Any) -> None:
    start, content = layout.places[number]
    symbol, offset, kind = relocation.symbol, relocation.address, int(relocation.type) & 0xFFFF
    if symbol is None or offset + 4 > len(content):
        return
    value: int | None
    if symbol.section_idx in layout.places:
        value = layout.places[symbol.section_idx][0] + symbol.value
    else:
        value = layout.undefined(str(symbol.name), False)
    if value is None:
        return
    if _REL32 <= kind <= _REL32_5:
        addend = int.from_bytes(content[offset : offset + 4], "little", signed=True)
        store(content, offset, value + addend - start - offset - 4 - (kind - _REL32), 4)
    elif kind == _ADDR32:
        addend = int.from_bytes(content[offset : offset + 4], "little")
        store(content, offset, value + addend, 4)
    elif kind == _ADDR64 and offset + 8 <= len(content):
        addend = int.from_bytes(content[offset : offset + 8], "little")
        store(content, offset, value + addend, 8)
