"""The kernels of a SPIR-V module (SPIR-V specification, "Physical Layout", "OpEntryPoint")."""

from __future__ import annotations

import struct

from hipport.fatbin.byte_source import Source
from hipport.fatbin.limits import Limits

MAGIC = b"\x03\x02\x23\x07"
_HEADER = 20
_OP_ENTRY_POINT, _OP_FUNCTION = 15, 54
_KERNEL = 6  # "Execution Model"
_LARGEST = 64 << 20


def kernel_names(source: Source, limits: Limits) -> list[str]:
    """The names of the entry points that are kernels. Raises FormatError for a module that is
    damaged before its first function, behind which there are no entry points."""
    if source.head(0, 4) != MAGIC or source.size < _HEADER:
        raise source.fault(0, "no SPIR-V module, or cut off in its header")
    data = source.head(0, min(source.size, _LARGEST))
    names: list[str] = []
    position = _HEADER
    while position + 4 <= len(data):
        word = int.from_bytes(data[position : position + 4], "little")
        length, operation = (word >> 16) * 4, word & 0xFFFF
        if length == 0 or position + length > len(data):
            raise source.fault(position, f"an instruction of {length} bytes does not fit")
        if operation == _OP_FUNCTION:
            break
        if operation == _OP_ENTRY_POINT and length >= 16:
            (model,) = struct.unpack_from("<I", data, position + 4)
            raw = data[position + 12 : position + length].partition(b"\0")[0]
            if model == _KERNEL:
                names.append(raw.decode("utf-8", "backslashreplace"))
            if len(names) > limits.max_kernels:
                raise source.fault(position, f"more than {limits.max_kernels} kernels")
        position += length
    return names
