"""A bare AMDGPU code object: `.co`, `.hsaco`, or one found between bundles."""

from __future__ import annotations

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import Source
from hipport.fatbin.elf_file import EM_AMDGPU, MAGIC, Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits

NAME = "code object"


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC) and head[4:6] == b"\x02\x01" and head[18:20] == b"\xe0\x00"


def read(source: Source, limits: Limits) -> Bundle:
    """A bundle of one entry, whose ID is derived from the ELF header's flags."""
    from hipport.fatbin.object.elf_flags import target_of_flags

    elf = Elf(source)
    if elf.machine != EM_AMDGPU:
        raise source.fault(18, f"not an AMDGPU code object: ELF machine {elf.machine}")
    faults: list[FormatError] = []
    try:
        size = elf.end
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
