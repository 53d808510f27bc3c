"""IREE's FlatBuffers: modules (`.vmfb`, or `module.fb` in one that is a zip file) and executables.

A module has "IREE" behind its size and its root, an executable its own name ("HIP1", "AMD1" …) in a
header of 64 bytes with version 0 and the size of the FlatBuffer. Code objects are byte vectors in
there; they are found by their first bytes.
"""

from __future__ import annotations

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import bare_code_object
from hipport.fatbin.limits import Limits

NAME = "IREE FlatBuffer"
_CODE_OBJECT = b"\x7fELF\x02\x01\x01\x40"


def sniff(head: bytes) -> bool:
    if head[8:12] == b"IREE":
        return True
    sized = head[4:8] == bytes(4) and any(head[8:16]) and head[16:64] == bytes(48)
    return sized and head[:4].isalnum() and head[:4].upper() == head[:4]


def read(source: Source, limits: Limits) -> Bundle:
    """One entry for each code object; none in a module whose executables are other files."""
    bundle = Bundle(NAME, source, source.size)
    entries: list[BundleEntry] = []
    end = 0
    for offset in source.occurrences(_CODE_OBJECT):
        if offset >= end:
            end = offset + _add(bundle, entries, source, offset, limits)
    bundle.entries = tuple(entries)
    return bundle


def _add(
    bundle: Bundle, entries: list[BundleEntry], source: Source, offset: int, limits: Limits
) -> int:
    """Bytes that the code object there takes. The vector's length is the number before it."""
    length = int.from_bytes(source.head(offset - 4, 4), "little") if offset >= 4 else 0
    length = length if 0 < length <= source.size - offset else source.size - offset
    try:
        found = bare_code_object.read(Window(source, offset, length), limits)
    except FormatError as error:
        bundle.record(error)
        return 1
    for fault in found.faults:
        bundle.record(fault)
    (code_object,) = found.entries
    entry = BundleEntry(bundle, len(entries), code_object.id, offset, code_object.size)
    entries.append(entry)
    if len(entries) > limits.max_entries:
        raise source.fault(offset, f"more than {limits.max_entries} code objects")
    return code_object.size
