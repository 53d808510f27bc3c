"""A bare AMDGPU code object: `.co`, `.hsaco`, or one found between bundles."""

from __future__ import annotations

from hipport.fatbin.elf import EM_AMDGPU, MAGIC, SHT_NOBITS, Elf
from hipport.fatbin.faults import FormatError, Limits
from hipport.fatbin.model import Bundle, BundleEntry
from hipport.fatbin.source import Source

NAME = "code object"


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC) and head[4:6] == b"\x02\x01" and head[18:20] == b"\xe0\x00"


def read(source: Source, limits: Limits) -> Bundle:
    """A bundle of one entry, whose ID is made up from the ELF header's flags."""
    from hipport.fatbin.codeobject import target_of_flags

    elf = Elf(source)
    if elf.machine != EM_AMDGPU:
        raise source.fault(18, f"not an AMDGPU code object: ELF machine {elf.machine}")
    faults: list[FormatError] = []
    try:
        size = _extent(elf)
    except FormatError as error:
        faults, size = [error], source.size
    if size > source.size:
        faults.append(source.fault(0, f"the code object needs {size:#x} bytes"))
        size = source.size
    bundle = Bundle(NAME, source, size, version=elf.abi_version + 2)
    bundle.faults = faults
    target = target_of_flags(elf).target
    bundle.entries = (BundleEntry(bundle, 0, f"hip-amdgcn-amd-amdhsa--{target}", 0, size),)
    return bundle


def _extent(elf: Elf) -> int:
    """Bytes up to the end of the last header, segment or section."""
    offset, entry_size, count = elf._sections_at
    ends = [64, offset + entry_size * count]
    ends += [s.offset + s.file_size for s in elf.segments]
    ends += [s.offset + s.size for s in elf.sections if s.type != SHT_NOBITS]
    return max(ends)
