"""An AMDGPU code object: target, metadata, kernels and their descriptors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from hipport.fatbin import descriptor as descriptors
from hipport.fatbin import metadata as metadata_v3
from hipport.fatbin import metadata_v2
from hipport.fatbin.descriptor import Descriptor
from hipport.fatbin.elf import EM_AMDGPU, ET_REL, SHT_DYNSYM, SHT_SYMTAB, Elf
from hipport.fatbin.faults import FormatError, Limits
from hipport.fatbin.metadata import Metadata, Raw
from hipport.fatbin.notes import Note, notes
from hipport.fatbin.source import Source
from hipport.fatbin.target import TargetId

NT_AMD_HSA_METADATA, NT_AMDGPU_METADATA = 10, 32
ABI_V4, ABI_V6 = 2, 4
_DECODERS = {
    (b"AMDGPU", NT_AMDGPU_METADATA): metadata_v3.decode,
    (b"AMD", NT_AMD_HSA_METADATA): metadata_v2.decode,
}
_STATES = {0: None, 1: None, 2: False, 3: True}


class ElfTarget(NamedTuple):
    """What e_flags says (LLVM, AMDGPUUsage, "ELF header e_flags")."""

    target: TargetId
    mach: int
    xnack_known: bool
    """False where the processor has no xnack, or the flags' version does not say."""
    sramecc_known: bool
    generic_version: int


def target_of_flags(elf: Elf) -> ElfTarget:
    """The target of a code object from its ELF header alone."""
    from hipport.fatbin.targets import processor_of_mach

    flags, abi = elf.flags, elf.abi_version
    mach = flags & 0xFF
    name = processor_of_mach(mach) or f"mach{mach:#04x}"
    if abi >= ABI_V4:
        xnack, sramecc = flags >> 8 & 3, flags >> 10 & 3
        generic = flags >> 24 if abi >= ABI_V6 else 0
        target = TargetId(name, _STATES[xnack], _STATES[sramecc])
        return ElfTarget(target, mach, xnack != 0, sramecc != 0, generic)
    # Version 3 has one bit for each feature: set is on, clear is off or not supported. Version 2
    # files of LLVM 14 and 15 carry the same bits.
    xnack_on, sramecc_on = bool(flags & 0x100), bool(flags & 0x200)
    target = TargetId(name, True if xnack_on else None, True if sramecc_on else None)
    return ElfTarget(target, mach, xnack_on, sramecc_on, 0)


class Kernel:
    """One kernel as the metadata describes it; `descriptor` has what the hardware is told."""

    __slots__ = ("code_object", "raw")

    def __init__(self, code_object: CodeObject, raw: Raw) -> None:
        self.code_object = code_object
        self.raw = raw
        """The metadata's keys and values as stored, except `.args`."""

    def _number(self, key: str) -> int:
        """A count or size; 0 for what can be none, a negative number among it."""
        value = self.raw.get(key)
        return value if isinstance(value, int) and value is not True and value > 0 else 0

    @property
    def name(self) -> str:
        """The mangled name."""
        value = self.raw.get(".name")
        return value if isinstance(value, str) else ""

    @property
    def symbol(self) -> str:
        """The symbol of the kernel descriptor, `<name>.kd`."""
        value = self.raw.get(".symbol")
        return value if isinstance(value, str) else ""

    @property
    def vgprs(self) -> int:
        """Vector registers used; since gfx90a with the accumulation registers."""
        return self._number(".vgpr_count")

    @property
    def agprs(self) -> int:
        return self._number(".agpr_count")

    @property
    def sgprs(self) -> int:
        return self._number(".sgpr_count")

    @property
    def lds(self) -> int:
        """Static LDS of a work-group, in bytes."""
        return self._number(".group_segment_fixed_size")

    @property
    def scratch(self) -> int:
        """Scratch of a work-item, in bytes; a lower bound when `dynamic_stack` is set."""
        return self._number(".private_segment_fixed_size")

    @property
    def dynamic_stack(self) -> bool:
        return self.raw.get(".uses_dynamic_stack") is True

    @property
    def vgpr_spills(self) -> int:
        return self._number(".vgpr_spill_count")

    @property
    def sgpr_spills(self) -> int:
        return self._number(".sgpr_spill_count")

    @property
    def wave_size(self) -> int:
        return self._number(".wavefront_size")

    @property
    def max_workgroup_size(self) -> int:
        """Work-items."""
        return self._number(".max_flat_workgroup_size")

    @property
    def kernarg_size(self) -> int:
        return self._number(".kernarg_segment_size")

    @property
    def workgroup_processor_mode(self) -> bool | None:
        value = self.raw.get(".workgroup_processor_mode")
        return bool(value) if value is not None else None

    @property
    def arguments(self) -> list[dict[str, Any]]:
        """All arguments with the metadata's own keys, hidden ones included."""
        return self.code_object.metadata.arguments(self.raw)

    @property
    def descriptor(self) -> Descriptor | None:
        """The decoded kernel descriptor; None if the symbol is missing."""
        return self.code_object.descriptor(self.name, self.symbol or f"{self.name}.kd")


class CodeObject:
    """Reads the ELF header at once and everything else when it is asked for."""

    def __init__(self, source: Source, limits: Limits | None = None) -> None:
        self.source = source
        self.limits = limits or Limits()
        self.elf = Elf(source)
        if self.elf.machine != EM_AMDGPU:
            raise source.fault(18, f"not an AMDGPU code object: ELF machine {self.elf.machine}")

    @cached_property
    def flags_target(self) -> ElfTarget:
        return target_of_flags(self.elf)

    @property
    def target(self) -> TargetId:
        """The target that e_flags names."""
        return self.flags_target.target

    @property
    def version(self) -> int:
        """The code object version, 2 to 6. Only EI_ABIVERSION tells 5 from 6."""
        return self.elf.abi_version + 2

    @property
    def linked(self) -> bool:
        return self.elf.type != ET_REL

    @cached_property
    def _metadata_note(self) -> Note | None:
        for note in notes(self.elf, self.limits):
            if (note.name, note.type) in _DECODERS:
                return note
        return None

    @cached_property
    def metadata(self) -> Metadata:
        """The metadata note; raises FormatError when it is damaged. Without one: no kernels."""
        note = self._metadata_note
        return _DECODERS[note.name, note.type](note.content) if note else Metadata({}, [], b"")

    def kernel_records(self, keys: tuple[str, ...]) -> list[Raw]:
        """The metadata's kernels with at least these keys; for many code objects, see
        `kernelrecords`."""
        from hipport.fatbin import kernelrecords

        note = self._metadata_note
        if note is not None and note.type == NT_AMDGPU_METADATA:
            records = kernelrecords.decode(note.content, keys)
            if records is not None:
                return records
        return self.metadata.kernels

    @property
    def metadata_target(self) -> str:
        """`amdhsa.target`, from version 4 on: `amdgcn-amd-amdhsa--gfx90a:xnack+`."""
        value = self.metadata.top.get("amdhsa.target")
        return value if isinstance(value, str) else ""

    def kernels(self) -> Iterator[Kernel]:
        """The kernels in the note's order."""
        for raw in self.metadata.kernels:
            yield Kernel(self, raw)

    @cached_property
    def symbols(self) -> dict[str, tuple[int, int, int]]:
        """Name -> (section index, value, size)."""
        kinds = [SHT_SYMTAB] if not self.linked else [SHT_DYNSYM, SHT_SYMTAB]
        return {
            symbol.name: (symbol.section, symbol.value, symbol.size)
            for kind in kinds
            for symbol in self.elf.symbols(kind)
            if symbol.section
        }

    def bytes_of(self, symbol: str) -> tuple[int, int] | None:
        """File offset and size of what a symbol names."""
        if symbol not in self.symbols:
            return None
        section, value, size = self.symbols[symbol]
        if self.linked:
            offset = self.elf.offset_of(value)
        elif section < len(self.elf.sections):
            offset = self.elf.sections[section].offset + value
        else:
            offset = None
        return None if offset is None else (offset, size)

    def descriptor(self, name: str, symbol: str) -> Descriptor | None:
        """The 64 bytes at `<name>.kd`, decoded; in version 2 the first bytes at the kernel."""
        old = self.version < 3
        try:
            found = self.bytes_of(name if old else symbol)
            if found is None:
                return None
            if old:
                return descriptors.decode_v2(self.source.read(found[0], descriptors.SIZE_V2))
            return descriptors.decode(self.source.read(found[0], descriptors.SIZE))
        except FormatError:
            return None
