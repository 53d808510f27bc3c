"""All metadata notes of a code object as one.

The link writes a note for each partition it compiles apart (`--lto-partitions`, which clang passes
for `-fgpu-rdc`). ROCm's own reader joins them: kernels and format strings one after the other, and
one version for all (amd/comgr, comgr-metadata.cpp, mergeNoteRecords).
"""

from __future__ import annotations

from collections.abc import Iterable

from hipport.fatbin.limits import Limits
from hipport.fatbin.object import metadata as metadata_v3
from hipport.fatbin.object import metadata_v2
from hipport.fatbin.object.metadata import MAX_KERNELS, Metadata, Raw
from hipport.fatbin.object.notes import Note

NT_AMD_HSA_METADATA, NT_AMDGPU_METADATA = 10, 32
_DECODERS = {
    (b"AMDGPU", NT_AMDGPU_METADATA): metadata_v3.decode,
    (b"AMD", NT_AMD_HSA_METADATA): metadata_v2.decode,
}
_PRINTF = "amdhsa.printf"


def metadata_notes(found: Iterable[Note], limits: Limits) -> list[Note]:
    """Those of the notes that hold metadata; raises FormatError when they are too long in all."""
    chosen, total = [], 0
    for note in found:
        if (note.name, note.type) in _DECODERS:
            total += note.content.size
            if total > limits.max_note:
                raise note.content.fault(
                    0, f"metadata of {total} bytes in all; the limit is {limits.max_note}"
                )
            chosen.append(note)
    return chosen


def decode(found: list[Note]) -> Metadata:
    """Their content; raises FormatError where one is damaged or they contradict each other."""
    if not found:
        return Metadata({}, [], b"")
    parts = [_DECODERS[note.name, note.type](note.content) for note in found]
    if len(parts) == 1:
        return parts[0]
    top: Raw = {}
    kernels: list[Raw] = []
    joined = bytearray()
    places = []
    for part, note in zip(parts, found, strict=True):
        for key, value in part.top.items():
            before = top.setdefault(key, value)
            if key == _PRINTF and before is not value:
                top[key] = _joined(before, value)
            elif before != value:
                raise note.content.fault(0, f"metadata notes disagree: {key} {before} and {value}")
        for kernel in part.kernels:
            span = kernel.get(".args")
            if isinstance(span, tuple):
                kernel[".args"] = (span[0] + len(joined), span[1] + len(joined))
        kernels += part.kernels
        if len(kernels) > MAX_KERNELS:
            raise note.content.fault(0, f"more than {MAX_KERNELS} kernels")
        places.append((len(joined), note.content))
        joined += part.note
    return Metadata(top, kernels, bytes(joined), tuple(places))


def _joined(before: object, value: object) -> list[object]:
    ours = before if isinstance(before, list) else []
    return ours + [each for each in value if each not in ours] if isinstance(value, list) else ours


def stated_target(found: list[Note]) -> object:
    """`amdhsa.target` where one note alone has it; None where the notes have to be decoded."""
    from hipport.fatbin.object import kernel_columns

    if len(found) != 1 or found[0].type != NT_AMDGPU_METADATA:
        return None
    return kernel_columns.stated_target(found[0].content)


def records(found: list[Note], keys: tuple[str, ...]) -> list[Raw] | None:
    """The kernels with at least these keys; None where the notes have to be decoded in full."""
    from hipport.fatbin.object import kernel_columns

    kernels: list[Raw] = []
    for note in found:
        if note.type != NT_AMDGPU_METADATA:
            return None
        part = kernel_columns.decode(note.content, keys)
        if part is None or len(kernels) + len(part) > MAX_KERNELS:
            return None
        kernels += part
    return kernels
