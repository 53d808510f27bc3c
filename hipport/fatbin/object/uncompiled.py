"""Images that are compiled for a device later, by the linker or at run time."""

from __future__ import annotations

from hipport.fatbin.byte_source import Source
from hipport.fatbin.limits import Limits
from hipport.fatbin.object import bitcode, spirv


def language(source: Source) -> str:
    """The language of such an image; empty for anything else."""
    head = source.head(0, 4)
    if head == spirv.MAGIC:
        return "SPIR-V"
    return "LLVM bitcode" if head in (bitcode.MAGIC, bitcode.WRAPPER) else ""


def kernel_names(source: Source, limits: Limits) -> list[str]:
    """The names of its kernels; empty for anything else. Raises FormatError for damage."""
    if source.head(0, 4) == spirv.MAGIC:
        return spirv.kernel_names(source, limits)
    return bitcode.kernel_names(source, limits) if language(source) else []
