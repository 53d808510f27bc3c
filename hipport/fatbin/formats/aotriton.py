"""AOTriton's `.aks2`: many code objects of Triton in one xz stream (v2src/packed_kernel.cc).

"AKS2", u32 size of the content, u32 number of kernels, u32 size of the directory; then, compressed,
for each kernel u32 shared memory, threads, offset behind the directory, size and length of its
name, and the name; then the code objects.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.compression import Stream
from hipport.fatbin.elf_file import Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import RAISE_LIMIT, Limits

NAME = "AOTriton archive"
MAGIC = b"AKS2"
_HEADER = struct.Struct("<4sIII")
_KERNEL = struct.Struct("<IIIII")


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC) and head[16:22] == b"\xfd7zXZ\0"


def read(source: Source, limits: Limits) -> Bundle:
    """One entry for each kernel that was compiled; its target is the one in its ELF flags."""
    if source.size < _HEADER.size:
        raise source.fault(0, "an AOTriton archive that is cut off in its header")
    _, size, count, directory_size = _HEADER.unpack(source.read(0, _HEADER.size))
    if size > limits.max_size:
        raise source.fault(
            4,
            f"says it decompresses to {size} bytes; the limit is {limits.max_size}",
            remedy=RAISE_LIMIT,
        )
    if directory_size > size or count > limits.max_all_entries:
        raise source.fault(8, f"{count} kernels in a directory of {directory_size} bytes")
    packed = Window(source, _HEADER.size, source.size - _HEADER.size)

    def stream() -> Iterator[bytes]:
        return Stream(packed, "xz", size).pieces()

    bundle = Bundle(
        NAME, source, source.size, stream=stream, compression="xz", uncompressed_size=size
    )
    content = bundle.payload()
    if content.size != size:
        bundle.faults.append(
            source.fault(4, f"decompresses to {content.size} bytes, declares {size}")
        )
    bundle.entries = tuple(_entries(bundle, content, count, directory_size))
    return bundle


def _entries(
    bundle: Bundle, content: Source, count: int, directory_size: int
) -> Iterator[BundleEntry]:
    position, index = 0, 0
    for _ in range(count):
        _, _, offset, size, length = _KERNEL.unpack(content.read(position, _KERNEL.size))
        if position + _KERNEL.size + length > directory_size:
            raise content.fault(position, "a kernel's name reaches past the directory")
        raw = content.read(position + _KERNEL.size, length).rstrip(b"\0")
        name = raw.decode("utf-8", "backslashreplace")
        position += _KERNEL.size + length
        if not size:  # it could not be compiled
            continue
        try:
            image = Window(content, directory_size + offset, size)
            entry_id = _id(image)
        except FormatError as error:
            bundle.record(error)
            continue
        entry = BundleEntry(bundle, index, entry_id, directory_size + offset, size)
        entry.image_kind = name
        index += 1
        yield entry
    if position != directory_size:
        bundle.faults.append(
            content.fault(position, f"the directory ends here, not at {directory_size:#x}")
        )


def _id(image: Source) -> str:
    from hipport.fatbin.object.elf_flags import target_of_flags

    return f"hip-amdgcn-amd-amdhsa--{target_of_flags(Elf(image)).target}"
