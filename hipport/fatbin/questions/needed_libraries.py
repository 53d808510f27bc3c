"""The libraries that a host file names as needed: a few tables are read, no content."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from hipport.fatbin.byte_source import Source
from hipport.fatbin.elf_file import DT_STRTAB, Elf
from hipport.fatbin.host.pe_file import PeSection
from hipport.fatbin.host.pe_file import read as read_pe

_DT_NEEDED = 1
_LONGEST = 256
_MOST = 4096
# PE format, "Import Directory Table" and "Delay-Load Directory Table": bytes of an entry, and where
# in it the name's address is.
_IMPORTS, _DELAYED = (20, 12), (32, 4)


def needed_by_elf(elf: Elf) -> list[str]:
    """DT_NEEDED in the order of the file (gABI, "Dynamic Section"); needs no section headers."""
    strings = elf.offset_of(elf.dynamic.get(DT_STRTAB, -1))
    if strings is None:
        return []
    needed = (value for tag, value in elf.dynamic_entries() if tag == _DT_NEEDED)
    return [_text(elf.source, strings + value) for value in islice(needed, _MOST)]


def needed_by_pe(source: Source) -> list[str]:
    """The names of the DLLs that a PE image imports, at its start or when they are first called."""
    pe = read_pe(source)
    if pe.is_object:
        return []
    names: list[str] = []
    for address, (size, name_at) in ((pe.imports, _IMPORTS), (pe.delayed_imports, _DELAYED)):
        names += _imported(source, pe.sections, address, size, name_at)
    return names


def _imported(
    source: Source, sections: list[PeSection], address: int, size: int, name_at: int
) -> Iterator[str]:
    """The names in a list of `size` bytes an entry; one of zeros ends it."""
    position = _offset(sections, address)
    for _ in range(_MOST if position else 0):
        entry = source.head(position, size)
        if len(entry) < size or not any(entry):
            return
        name = _offset(sections, int.from_bytes(entry[name_at : name_at + 4], "little"))
        if name:
            yield _text(source, name)
        position += size


def _offset(sections: list[PeSection], address: int) -> int:
    """Where in the file an address relative to the image base is; 0 for nowhere."""
    for each in sections:
        if 0 <= address - each.address < each.size:
            return each.offset + address - each.address
    return 0


def _text(source: Source, offset: int) -> str:
    raw = source.head(offset, _LONGEST).partition(b"\0")[0]
    return raw.decode("utf-8", "backslashreplace")
