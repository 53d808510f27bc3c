"""A bare cubin: device code that NVIDIA's compiler made for one architecture.

An ELF file of machine EM_CUDA (LLVM, BinaryFormat/ELF.h). The architecture is in the lowest byte of
`e_flags`, since ABI version 8 in the second.
"""

from __future__ import annotations

from hipport.fatbin.binary import Bundle
from hipport.fatbin.byte_source import Source
from hipport.fatbin.elf_file import EM_CUDA, MAGIC, Elf
from hipport.fatbin.formats.nv_fatbin import Image
from hipport.fatbin.limits import Limits

NAME = "cubin"
_SECOND_BYTE_SINCE = 8


def sniff(head: bytes) -> bool:
    machine = EM_CUDA.to_bytes(2, "little")
    return head.startswith(MAGIC) and head[4:6] == b"\x02\x01" and head[18:20] == machine


def read(source: Source, limits: Limits) -> Bundle:
    """A bundle of one entry; raises FormatError where its sections are cut off."""
    elf = Elf(source)
    if not elf.sections:
        raise source.fault(40, "a cubin without sections")
    bundle = Bundle(NAME, source, source.size, version=elf.abi_version)
    number = (elf.flags >> 8 if elf.abi_version >= _SECOND_BYTE_SINCE else elf.flags) & 0xFF
    entry = Image(bundle, 0, f"cuda-nvptx64-nvidia-cuda--sm_{number}", 0, source.size)
    entry.flags = entry.stored = entry.unpacked = 0
    entry.image_kind = NAME
    bundle.entries = (entry,)
    return bundle
