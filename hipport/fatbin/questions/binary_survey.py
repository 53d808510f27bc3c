"""One pass over a binary that gathers the facts for the checks, diff, and dedupe."""

from __future__ import annotations

from typing import Any

import msgspec

from hipport.fatbin.binary import Binary, BundleEntry
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.host.registration import Registrations, registrations
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.code_object import CodeObject, Kernel
from hipport.fatbin.object.metadata import Raw
from hipport.fatbin.object.uncompiled import kernel_names, language
from hipport.fatbin.questions.image_looks import Look, look
from hipport.fatbin.questions.kernel_tables import (
    RESOURCES,
    code_object_in,
    images,
    number,
    report_unknown_metadata,
)
from hipport.fatbin.target_id import TargetId
from hipport.named_tuples import NamedTuple

COMPARED = ("vgpr", "agpr", "sgpr", "lds", "scratch", "vspill", "sspill")
_KEYS = tuple(RESOURCES[column] for column in COMPARED)
_WANTED = (*_KEYS, ".name", ".symbol", RESOURCES["kernarg"])
_MANY = 4096
"""Kernels after which a faster decoder has paid for its loading."""


class Image(NamedTuple):
    """One code object. `kernels` maps a name to its resources in the order of COMPARED."""

    entry: BundleEntry
    target: TargetId
    """What e_flags says."""
    metadata_target: str
    version: int
    kernels: dict[str, tuple[int, ...]]
    disagreements: list[str]
    """Where descriptor and metadata differ."""


class Survey(msgspec.Struct):
    """What one binary holds and registers."""

    binary: Binary
    limits: Limits
    images: list[Image] = msgspec.field(default_factory=list)
    uncompiled: dict[BundleEntry, list[str]] = msgspec.field(default_factory=dict)
    """The names of the kernels in SPIR-V and LLVM bitcode."""
    looks: dict[BundleEntry, Look] = msgspec.field(default_factory=dict)
    """What each entry's bytes are; an entry whose bytes cannot be read is missing."""
    registered: Registrations = msgspec.field(default_factory=Registrations)


def survey(binary: Binary, limits: Limits, *, descriptors: bool = True) -> Survey:
    """Reads every code object once; damage is recorded in the bundles."""
    result = Survey(binary, limits)
    total = 0
    known: dict[Any, Any] = {}
    for entry, source in images(binary, limits):
        code_object = code_object_in(entry, source, limits)
        result.looks[entry] = look(entry, source, code_object)
        try:
            if code_object is None:
                if language(source):
                    result.uncompiled[entry] = kernel_names(source, limits)
                continue
            report_unknown_metadata(entry, code_object)
            many = total >= _MANY
            records = code_object.kernel_records(_WANTED) if many else code_object.metadata.kernels
            total += len(records)
            if total > limits.max_kernels:
                what = f"more than {limits.max_kernels} kernels in all; gave up"
                entry.bundle.record(code_object.source.fault(0, what))
                break
            image = Image(
                entry,
                code_object.target,
                code_object.metadata_target if many else _target(code_object),
                code_object.version,
                _resources(records, known),
                _disagreements(code_object, records) if descriptors else [],
            )
            result.images.append(image)
        except FormatError as error:
            entry.bundle.record(error)
    result.registered = registrations(binary, limits)
    return result


def _target(code_object: CodeObject) -> str:
    value = code_object.metadata.top.get("amdhsa.target")
    return value if isinstance(value, str) else ""


def _resources(records: list[Raw], known: dict[Any, Any]) -> dict[str, tuple[int, ...]]:
    """Name -> resources. Both repeat from target to target, and are stored once."""
    kernels = {}
    for raw in records:
        values = tuple([number(raw.get(key, 0)) for key in _KEYS])
        name = str(raw.get(".name", ""))
        kernels[known.setdefault(name, name)] = known.setdefault(values, values)
    return kernels


def _disagreements(code_object: CodeObject, records: list[Raw]) -> list[str]:
    """Kernels whose descriptor differs from their metadata."""
    found: list[str] = []
    for raw in records:
        kernel = Kernel(code_object, raw)
        descriptor = kernel.descriptor
        if descriptor is None:
            found.append(f"{kernel.name}: no kernel descriptor {kernel.symbol!r}")
            continue
        for what, ours, theirs in (
            ("LDS", descriptor.lds, kernel.lds),
            ("scratch", descriptor.scratch, kernel.scratch),
            ("kernarg", descriptor.kernarg, kernel.kernarg_size),
        ):
            # LLVM fills in the kernarg size since version 12; 0 means that it is not stated.
            if ours != theirs and not (what == "kernarg" and ours == 0):
                found.append(f"{kernel.name}: {what} is {ours} in the descriptor, {theirs} in note")
    return found
