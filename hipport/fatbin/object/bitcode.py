"""The kernels that LLVM bitcode defines: functions with a kernel's calling convention.

LLVM Bitcode File Format, "MODULE_CODE_FUNCTION Record" and "STRTAB_BLOCK Contents"; the numbers of
calling conventions are those of llvm/IR/CallingConv.h. Bodies of functions are passed over.
"""

from __future__ import annotations

from hipport.fatbin.byte_source import Source
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.bitstream import Bitstream, Block, Record

MAGIC, WRAPPER = b"BC\xc0\xde", b"\xde\xc0\x17\x0b"
_MODULE, _STRTAB = 8, 23
_VERSION, _FUNCTION = 1, 8
_STRTAB_BLOB = 1
_KERNELS = (76, 91)  # SPIR_KERNEL, AMDGPU_KERNEL
_LARGEST = 64 << 20


def kernel_names(source: Source, limits: Limits) -> list[str]:
    """The names of the kernels that are defined, in the order of the module. Raises FormatError
    for bitcode that is damaged, larger than is read, or older than LLVM 5, whose names are
    elsewhere."""
    if source.size > min(_LARGEST, limits.max_size):
        raise source.fault(0, f"bitcode of {source.size} bytes; kernels of so much are not read")
    stream = Bitstream(source, *_extent(source))
    names: list[str] = []
    waiting: list[tuple[int, int]] = []
    """Offset and size of names, in the string table that follows the modules."""
    for block in stream.blocks():
        if block.number == _MODULE:
            waiting += _kernels(source, block, limits)
        elif block.number == _STRTAB:
            table = next((r.blob for r in block.records() if r.code == _STRTAB_BLOB), b"")
            for offset, size in waiting:
                if offset + size > len(table):
                    raise source.fault(block.offset, "a kernel's name is outside the string table")
                names.append(table[offset : offset + size].decode("utf-8", "backslashreplace"))
            waiting = []
    if waiting:
        raise source.fault(0, "the bitcode has no string table")
    return names


def _extent(source: Source) -> tuple[int, int]:
    """Where the bitstream starts and ends; a wrapper's header says both."""
    head = source.head(0, 20)
    if not head.startswith(WRAPPER):
        return 0, source.size
    offset, size = (int.from_bytes(head[at : at + 4], "little") for at in (8, 12))
    source.check(offset, size)
    return offset, offset + size


def _kernels(source: Source, block: Block, limits: Limits) -> list[tuple[int, int]]:
    found = []
    version = 0
    for record in block.records():
        if record.code == _VERSION:
            version = record.values[0] if record.values else 0
        elif record.code == _FUNCTION and _is_kernel(record, version):
            if version < 2:
                raise source.fault(
                    block.offset, "bitcode older than LLVM 5: its names are not read"
                )
            found.append((record.values[0], record.values[1]))
            if len(found) > limits.max_kernels:
                raise source.fault(block.offset, f"more than {limits.max_kernels} kernels")
    return found


def _is_kernel(record: Record, version: int) -> bool:
    """Version 2 has the name's offset and size in front of type, calling convention, isproto."""
    values = record.values[2:] if version >= 2 else record.values
    return len(values) > 2 and values[1] in _KERNELS and not values[2]
