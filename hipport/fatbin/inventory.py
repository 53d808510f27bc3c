"""Every kernel of a binary, code object by code object; damage is recorded and passed over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hipport.fatbin.codeobject import CodeObject, Kernel
from hipport.fatbin.elf import EM_AMDGPU, MAGIC
from hipport.fatbin.faults import FormatError, Limits
from hipport.fatbin.model import Binary, BundleEntry

# Column -> metadata key.
RESOURCES = {
    "vgpr": ".vgpr_count",
    "agpr": ".agpr_count",
    "sgpr": ".sgpr_count",
    "lds": ".group_segment_fixed_size",
    "scratch": ".private_segment_fixed_size",
    "vspill": ".vgpr_spill_count",
    "sspill": ".sgpr_spill_count",
    "wave": ".wavefront_size",
    "group": ".max_flat_workgroup_size",
    "kernarg": ".kernarg_segment_size",
    "name": ".name",
}


class KernelRow(NamedTuple):
    """One kernel for one target; `registered` is None when that was not asked."""

    binary: Binary
    entry: BundleEntry
    target: str
    kernel: Kernel
    registered: bool | None


def code_objects(
    binary: Binary,
    limits: Limits,
    choose: Callable[[BundleEntry], bool] = lambda entry: True,
) -> Iterator[tuple[BundleEntry, CodeObject]]:
    """The AMDGPU code objects of the chosen entries.

    Each bundle is decompressed at most once and dropped before the next. Entries that hold
    something else (bitcode, SPIR-V, nothing) are left out; faults go to their bundle.
    """
    for bundle in binary.bundles:
        entries = [entry for entry in bundle.entries if entry.size and choose(entry)]
        if not entries:
            continue
        try:
            payload = bundle.payload()
        except FormatError as error:
            bundle.record(error)
            continue
        for entry in entries:
            try:
                source = entry.source()
                head = source.head(0, 20)
                if head[:4] == MAGIC and head[18:20] == EM_AMDGPU.to_bytes(2, "little"):
                    yield entry, CodeObject(source, limits)
            except FormatError as error:
                bundle.record(error)
        del payload


def kernel_rows(
    binary: Binary,
    limits: Limits,
    choose: Callable[[BundleEntry], bool] = lambda entry: True,
    registered: set[str] | None = None,
) -> Iterator[KernelRow]:
    """The kernels of the chosen entries, in file order."""
    for entry, code_object in code_objects(binary, limits, choose):
        try:
            target = str(entry.target or code_object.target)
            for kernel in code_object.kernels():
                known = None if registered is None else kernel.name in registered
                yield KernelRow(binary, entry, target, kernel, known)
        except FormatError as error:
            entry.bundle.record(error)


def number(value: Any) -> int:
    """A metadata value as a number: 0 for what is none."""
    return value if isinstance(value, int) else 0


