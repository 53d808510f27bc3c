"""The kernel descriptor of 64 bytes (LLVM, AMDGPUUsage, "Kernel Descriptor"), and what code object
version 2 has in its place: 256 bytes before the instructions (LLVM, AMDKernelCodeT.h)."""

from __future__ import annotations

import struct

from hipport.named_tuples import NamedTuple

SIZE, SIZE_V2 = 64, 256
_LAYOUT = struct.Struct("<III4xq20xIIIHH4x")
_LAYOUT_V2 = struct.Struct("<16xq24xIIIII4xQ")  # amd_kernel_code_t up to the kernarg size
_DYNAMIC_STACK, _DYNAMIC_STACK_V2 = 1 << 11, 1 << 20


class Descriptor(NamedTuple):
    """The values that the hardware and the packet processor read. Sizes are in bytes."""

    lds: int
    scratch: int
    kernarg: int
    entry_offset: int
    """Of the kernel's first instruction, relative to the descriptor."""
    rsrc3: int
    rsrc1: int
    rsrc2: int
    properties: int
    preload: int

    @property
    def vgpr_blocks(self) -> int:
        """GRANULATED_WORKITEM_VGPR_COUNT: allocated VGPRs = (blocks + 1) * granule."""
        return self.rsrc1 & 0x3F

    @property
    def sgpr_blocks(self) -> int:
        """GRANULATED_WAVEFRONT_SGPR_COUNT; without meaning since gfx10."""
        return self.rsrc1 >> 6 & 0xF

    @property
    def wave32(self) -> bool:
        return bool(self.properties & 1 << 10)

    @property
    def dynamic_stack(self) -> bool:
        return bool(self.properties & _DYNAMIC_STACK)

    @property
    def workgroup_processor_mode(self) -> bool:
        """Since gfx10: a work-group may use both compute units of its processor."""
        return bool(self.rsrc1 & 1 << 29)

    @property
    def accumulation_offset(self) -> int:
        """gfx90a and later: the first accumulation VGPR."""
        return 4 * ((self.rsrc3 & 0x3F) + 1)

    @property
    def user_sgprs(self) -> int:
        return self.rsrc2 >> 1 & 0x1F

    @property
    def preload_length(self) -> int:
        """Kernel arguments preloaded into SGPRs, in dwords."""
        return self.preload & 0x7F

    @property
    def preload_offset(self) -> int:
        return self.preload >> 7


def decode(data: bytes) -> Descriptor:
    """The descriptor in these 64 bytes."""
    lds, scratch, kernarg, entry, rsrc3, rsrc1, rsrc2, properties, preload = _LAYOUT.unpack(data)
    return Descriptor(lds, scratch, kernarg, entry, rsrc3, rsrc1, rsrc2, properties, preload)


def decode_v2(data: bytes) -> Descriptor:
    """The `amd_kernel_code_t` in these bytes, with its properties where a descriptor has them."""
    entry, rsrc1, rsrc2, code, scratch, lds, kernarg = _LAYOUT_V2.unpack_from(data)
    properties = code & 0x7FF | (_DYNAMIC_STACK if code & _DYNAMIC_STACK_V2 else 0)
    return Descriptor(lds, scratch, kernarg, entry, 0, rsrc1, rsrc2, properties, 0)
