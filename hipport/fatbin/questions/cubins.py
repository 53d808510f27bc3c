"""What NVIDIA's compiler gave each kernel of a cubin: registers, shared memory, stack.

The format is not documented. The layout was read off cubins of CUDA 11 to 13, and every number is
compared with what `cuobjdump -res-usage` prints. `.nv.info` has records of four bytes, format,
attribute and size or value; format 4 is followed by as many bytes as the size says.
"""

from __future__ import annotations

import importlib
import struct
from collections.abc import Iterator
from typing import Any

from hipport.fatbin.binary import Binary, BundleEntry
from hipport.fatbin.byte_source import MemorySource, Source, Window
from hipport.fatbin.compression import Stream, brief
from hipport.fatbin.elf_file import EM_CUDA, SHT_SYMTAB, Elf, Section
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats.nv_fatbin import LZ4, ZSTD, Image
from hipport.fatbin.limits import Limits
from hipport.named_tuples import NamedTuple

_RECORD = struct.Struct("<BBH")
_WITH_DATA = 4
_MAX_THREADS, _FRAME_SIZE, _REGISTERS = 0x05, 0x11, 0x2F
_INFO, _TEXT = ".nv.info.", ".text."
_PARAMETERS, _SHARED = ".nv.constant0.", ".nv.shared."
_REGISTERS_SHIFT = 24
_MOST_BY_LZ4 = 256
"""A byte of LZ4 makes at most 255 (the format's description, "Extra length")."""
_LARGEST_INFO = 16 << 20


class CubinKernel(NamedTuple):
    """A kernel of a cubin. Sizes are in bytes."""

    name: str
    registers: int
    """Registers of each thread."""
    shared: int
    """Static shared memory of a block."""
    stack: int
    """The frame of each thread, which holds what is spilled; cuobjdump calls it STACK."""
    threads: int | None
    """The most that a block can have, where launch bounds limit it."""


class Cubin(NamedTuple):
    """The kernels that one image has for one architecture."""

    entry: BundleEntry
    target: str
    """`sm_80`."""
    kernels: list[CubinKernel]


def cubins(binary: Binary, limits: Limits) -> Iterator[Cubin]:
    """The cubins of a CUDA binary; one that cannot be read is a fault of its bundle."""
    for bundle in binary.bundles:
        for entry in bundle.entries:
            if not isinstance(entry, Image) or not entry.image_kind.startswith("cubin"):
                continue
            try:
                elf = Elf(unpacked(entry, limits))
                if elf.machine != EM_CUDA:
                    raise elf.source.fault(18, f"machine {elf.machine} is not CUDA")
                yield Cubin(entry, entry.id.rpartition("--")[2], list(kernels(elf)))
            except FormatError as error:
                bundle.record(error)


def unpacked(image: Image, limits: Limits) -> Source:
    """The ELF file of an image; raises FormatError where it is damaged or too large."""
    source = image.source()
    if not image.flags & (LZ4 | ZSTD):
        return source
    label = f"{source.place(0).label}[decompressed]"
    if image.unpacked > limits.max_size:
        raise source.fault(
            0, f"{image.unpacked} bytes decompressed; the limit is {limits.max_size}"
        )
    packed = Window(source, 0, min(image.stored, source.size))
    if image.flags & ZSTD:
        return MemorySource(b"".join(Stream(packed, "zstd", image.unpacked).pieces()), label)
    if image.unpacked > _MOST_BY_LZ4 * packed.size:
        raise source.fault(0, f"{packed.size} bytes of LZ4 cannot hold {image.unpacked}")
    lz4: Any = importlib.import_module("lz4.block")
    try:
        data = lz4.decompress(packed.read(0, packed.size), uncompressed_size=image.unpacked)
    except lz4.LZ4BlockError as error:
        raise source.fault(0, f"damaged LZ4 data: {brief(error)}") from None
    return MemorySource(data, label)


def kernels(elf: Elf) -> Iterator[CubinKernel]:
    """The kernels of a cubin, in the order of its sections: those that have constant memory for
    parameters, which functions that they call have not."""
    sections = {section.name: section for section in elf.sections}
    symbols = [symbol.name for symbol in elf.symbols(SHT_SYMTAB)]
    registers: dict[str, int] = {}
    frames: dict[str, int] = {}
    if ".nv.info" in sections:
        for attribute, data in _records(elf, sections[".nv.info"]):
            table = {_REGISTERS: registers, _FRAME_SIZE: frames}.get(attribute)
            if table is not None and len(data) == 8:
                symbol, value = struct.unpack("<II", data)
                if symbol < len(symbols):
                    table[symbols[symbol]] = value
    for name, section in sections.items():
        kernel = name.removeprefix(_TEXT)
        if kernel == name or f"{_PARAMETERS}{kernel}" not in sections:
            continue
        shared, info = (sections.get(f"{each}{kernel}") for each in (_SHARED, _INFO))
        yield CubinKernel(
            kernel,
            registers.get(kernel, section.info >> _REGISTERS_SHIFT),
            shared.size if shared else 0,
            frames.get(kernel, 0),
            _threads(elf, info) if info else None,
        )


def _threads(elf: Elf, section: Section) -> int | None:
    for attribute, data in _records(elf, section):
        if attribute == _MAX_THREADS and len(data) == 12:
            x, y, z = struct.unpack("<III", data)
            return int(x * y * z)
    return None


def _records(elf: Elf, section: Section) -> Iterator[tuple[int, bytes]]:
    """The attributes that have data; what is cut off is damage."""
    content = elf.content(section)
    if content.size > _LARGEST_INFO:
        raise content.fault(0, f"{content.size} bytes of attributes; the limit is {_LARGEST_INFO}")
    data = content.read(0, content.size)
    at = 0
    while at + _RECORD.size <= len(data):
        format_, attribute, size = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        if format_ == _WITH_DATA:
            if at + size > len(data):
                raise content.fault(at, "an attribute that is cut off")
            yield attribute, data[at : at + size]
            at += size
