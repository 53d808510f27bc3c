"""The target of a code object, from the flags of its ELF header."""

from __future__ import annotations

from hipport.fatbin.elf_file import Elf
from hipport.fatbin.processors import processor_of_mach
from hipport.fatbin.target_id import TargetId
from hipport.named_tuples import NamedTuple

ABI_V4, ABI_V6 = 2, 4
_STATES = {0: None, 1: None, 2: False, 3: True}


class ElfTarget(NamedTuple):
    """The contents of e_flags (LLVM, AMDGPUUsage, "ELF header e_flags")."""

    target: TargetId
    generic_version: int


def target_of_flags(elf: Elf) -> ElfTarget:
    """The target of a code object from its ELF header alone."""
    flags, abi = elf.flags, elf.abi_version
    mach = flags & 0xFF
    name = processor_of_mach(mach) or f"mach{mach:#04x}"
    if abi >= ABI_V4:
        xnack, sramecc = flags >> 8 & 3, flags >> 10 & 3
        generic = flags >> 24 if abi >= ABI_V6 else 0
        target = TargetId(name, _STATES[xnack], _STATES[sramecc])
        return ElfTarget(target, generic)
    # Version 3 has one bit for each feature: set is on, clear is off or not supported. Version 2
    # files of LLVM 14 and 15 carry the same bits.
    target = TargetId(name, True if flags & 0x100 else None, True if flags & 0x200 else None)
    return ElfTarget(target, 0)


def agrees(stated: TargetId, flags: TargetId, version: int) -> bool:
    """Whether a target ID is that of the flags, in a code object of this version.

    Before version 4 the flags have one bit for a feature: "any" is stored as on, and off looks
    like not supported."""
    if version >= 4:
        return stated == flags
    return stated.processor == flags.processor and all(
        said is None or said == (bit is True)
        for said, bit in ((stated.xnack, flags.xnack), (stated.sramecc, flags.sramecc))
    )
