"""Every kernel of a binary, code object by code object; damage is recorded and skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hipport.fatbin.binary import Binary, BundleEntry
from hipport.fatbin.byte_source import Source
from hipport.fatbin.elf_file import EM_AMDGPU, MAGIC
from hipport.fatbin.entry_stream import images_of
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.object import uncompiled
from hipport.fatbin.object.code_object import OSABI_HSA, CodeObject, Kernel
from hipport.fatbin.object.metadata import Raw
from hipport.named_tuples import NamedTuple

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
_ENOUGH_FOR_MSGSPEC = 4096
"""Kernels after which loading a faster decoder has nearly paid for itself."""


class KernelTable(NamedTuple):
    """The kernels of one code object as the metadata has them: cheaper than a Kernel each."""

    binary: Binary
    entry: BundleEntry
    target: str
    code_object: CodeObject | None
    """None for SPIR-V and LLVM bitcode: only names are known until they are compiled."""
    records: list[Raw]
    """With the metadata's keys; with those that were asked for at least."""


def images(
    binary: Binary,
    limits: Limits,
    choose: Callable[[BundleEntry], bool] = lambda entry: True,
) -> Iterator[tuple[BundleEntry, Source]]:
    """The chosen entries that hold something, with their bytes.

    Each bundle is decompressed at most once and dropped before the next; faults go to it.
    """
    for bundle in binary.bundles:
        binary.reading = bundle.index
        entries = [entry for entry in bundle.entries if entry.size and choose(entry)]
        if not entries:
            continue
        try:
            yield from bundle.timed(images_of(bundle, entries))
        except FormatError as error:
            bundle.record(error)


def code_object_in(entry: BundleEntry, source: Source, limits: Limits) -> CodeObject | None:
    """The AMDGPU code object that an entry holds; None for anything else (bitcode, SPIR-V)."""
    try:
        head = source.head(0, 20)
        if head[:4] == MAGIC and head[18:20] == EM_AMDGPU.to_bytes(2, "little"):
            return CodeObject(source, limits)
    except FormatError as error:
        entry.bundle.record(error)
    return None


def report_unknown_metadata(entry: BundleEntry, code_object: CodeObject) -> None:
    """A fault of the bundle where nothing says which kernels a code object has: a compiler for
    ROCm writes a metadata note even without kernels."""
    if not code_object.metadata_notes:
        system = code_object.elf.os_abi
        what = "" if system == OSABI_HSA else f", which is not made for ROCm (OSABI {system}),"
        fault = code_object.source.fault(
            0, f"the code object for {code_object.target}{what} has no metadata note that is known"
        )
        entry.bundle.record(fault)


def code_objects(
    binary: Binary,
    limits: Limits,
    choose: Callable[[BundleEntry], bool] = lambda entry: True,
) -> Iterator[tuple[BundleEntry, CodeObject]]:
    """The AMDGPU code objects of the chosen entries."""
    for entry, source in images(binary, limits, choose):
        code_object = code_object_in(entry, source, limits)
        if code_object is not None:
            yield entry, code_object


def kernel_tables(
    binary: Binary,
    limits: Limits,
    choose: Callable[[BundleEntry], bool] = lambda entry: True,
    keys: tuple[str, ...] = (),
) -> Iterator[KernelTable]:
    """The kernels of the chosen entries, in file order; code objects without any are left out.

    With `keys`, the other keys of the metadata may be left out."""
    total = 0
    for entry, source in images(binary, limits, choose):
        code_object = code_object_in(entry, source, limits)
        if code_object is None:
            yield from _uncompiled(binary, entry, source, limits)
            continue
        try:
            report_unknown_metadata(entry, code_object)
            few = not keys or total < _ENOUGH_FOR_MSGSPEC
            records = code_object.metadata.kernels if few else code_object.kernel_records(keys)
            total += len(records)
            if total > limits.max_kernels:
                what = f"more than {limits.max_kernels} kernels in all; gave up"
                entry.bundle.record(code_object.source.fault(0, what))
                return
            if records:
                target = str(entry.target or code_object.target)
                yield KernelTable(binary, entry, target, code_object, records)
        except FormatError as error:
            entry.bundle.record(error)


def _uncompiled(
    binary: Binary, entry: BundleEntry, source: Source, limits: Limits
) -> Iterator[KernelTable]:
    """Names without numbers."""
    unknown: Raw = dict.fromkeys(RESOURCES.values())
    try:
        names = uncompiled.kernel_names(source, limits)
    except FormatError as error:
        entry.bundle.record(error)
        return
    if names:
        records = [unknown | {".name": name} for name in names]
        yield KernelTable(
            binary, entry, str(entry.target or uncompiled.language(source)), None, records
        )


def kernels(
    binary: Binary,
    limits: Limits,
    choose: Callable[[BundleEntry], bool] = lambda entry: True,
) -> Iterator[tuple[KernelTable, Kernel]]:
    """The same, one at a time, as objects."""
    for table in kernel_tables(binary, limits, choose):
        for record in table.records:
            if table.code_object is not None:
                yield table, Kernel(table.code_object, record)


def number(value: Any) -> int:
    """A metadata value as a number: 0 if it is not one."""
    return value if isinstance(value, int) else 0
