"""An AMDGPU code object and its kernels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from hipport.fatbin.byte_source import Source
from hipport.fatbin.elf_file import EM_AMDGPU, ET_REL, SHT_DYNSYM, SHT_SYMTAB, Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.object import kernel_descriptor as descriptors
from hipport.fatbin.object import metadata_notes
from hipport.fatbin.object.elf_flags import ElfTarget, target_of_flags
from hipport.fatbin.object.kernel_descriptor import Descriptor
from hipport.fatbin.object.metadata import Metadata, Raw
from hipport.fatbin.object.notes import Note, notes
from hipport.fatbin.target_id import TargetId

OSABI_HSA = 64  # AMDGPUUsage, "ELF Header e_ident[EI_OSABI]"


class Kernel:
    """One kernel as the metadata describes it; `descriptor` has what the hardware reads."""

    __slots__ = ("code_object", "raw")

    def __init__(self, code_object: CodeObject, raw: Raw) -> None:
        self.code_object = code_object
        self.raw = raw
        """The metadata's keys and values as stored, except `.args`."""

    def _number(self, key: str) -> int:
        """A count or size; 0 for a value that cannot be one, such as a negative number."""
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
    """Reads the ELF header at once and everything else on demand."""

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
        """The code object version, 2 to 6. Only EI_ABIVERSION distinguishes 5 from 6."""
        return self.elf.abi_version + 2

    @property
    def linked(self) -> bool:
        return self.elf.type != ET_REL

    @cached_property
    def metadata_notes(self) -> list[Note]:
        """The notes that hold metadata: one, or one for each partition of the link."""
        return metadata_notes.metadata_notes(notes(self.elf, self.limits), self.limits)

    @cached_property
    def metadata(self) -> Metadata:
        """All metadata notes as one; raises FormatError when one is damaged. Without: no
        kernels."""
        return metadata_notes.decode(self.metadata_notes)

    def kernel_records(self, keys: tuple[str, ...]) -> list[Raw]:
        """The metadata's kernels with at least these keys; for many code objects, see
        `kernel_columns`."""
        found = metadata_notes.records(self.metadata_notes, keys)
        return self.metadata.kernels if found is None else found

    @property
    def metadata_target(self) -> str:
        """`amdhsa.target`, from version 4 on: `amdgcn-amd-amdhsa--gfx90a:xnack+`."""
        value = metadata_notes.stated_target(self.metadata_notes)
        if value is None:
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

    @cached_property
    def _descriptors(self) -> dict[str, int]:
        """Symbol -> address of the objects that are as large as a kernel descriptor."""
        return dict(self.elf.objects(SHT_DYNSYM, descriptors.SIZE)) if self.linked else {}

    def descriptor(self, name: str, symbol: str) -> Descriptor | None:
        """The 64 bytes at `<name>.kd`, decoded; in version 2 the first bytes at the kernel."""
        old = self.version < 3
        try:
            address = None if old else self._descriptors.get(symbol)
            if address is not None:
                offset = self.elf.offset_of(address)
            else:
                found = self.bytes_of(name if old else symbol)
                offset = found[0] if found is not None else None
            if offset is None:
                return None
            if old:
                return descriptors.decode_v2(self.source.read(offset, descriptors.SIZE_V2))
            return descriptors.decode(self.source.read(offset, descriptors.SIZE))
        except FormatError:
            return None
