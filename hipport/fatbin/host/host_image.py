"""Host code as the loader would see it: what the search for registration calls needs."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from hipport.fatbin.byte_source import Source
from hipport.fatbin.elf_file import EM_AARCH64, EM_X86_64, Elf

# The runtime's functions and what they register (clang, CodeGen/CGCUDANV.cpp). In every one of
# them the device's name is the fourth argument.
FUNCTIONS = {
    "__hipRegisterFatBinary": "fatbin",
    "__hipRegisterFunction": "kernel",
    "__hipRegisterVar": "variable",
    "__hipRegisterManagedVar": "managed variable",
    "__hipRegisterSurface": "surface",
    "__hipRegisterTexture": "texture",
}
# System V gABI, "e_machine".
_MACHINES = {3: "x86", 21: "ppc64", 40: "arm", 243: "riscv", 258: "loongarch"}
READABLE = (EM_X86_64, EM_AARCH64)
_MAX_TEXT = 128 << 20


class HostImage(msgspec.Struct):
    """Code and data by address. `slots` hold pointers to the runtime's functions, `stubs` jump
    to them; both map an address to the function's name."""

    source: Source
    code: list[tuple[int, memoryview]]
    read: Callable[[int, int], bytes]
    """Up to so many bytes at an address; empty where nothing is loaded."""
    offset_of: Callable[[int], int | None]
    slots: dict[int, str] = msgspec.field(default_factory=dict)
    stubs: dict[int, str] = msgspec.field(default_factory=dict)
    starts: list[int] = msgspec.field(default_factory=list)
    """Where functions start, sorted; empty where that is not known."""
    aarch64: bool = False
    """AArch64 instructions instead of those of x86-64."""
    moves: bool = False
    """A shared object, whose code holds no addresses, only distances."""
    windows: bool = False
    """Microsoft's calling convention instead of System V's."""
    text_left: int = _MAX_TEXT
    """Bytes of strings that may still be read: names in a hostile file may overlap."""

    def text(self, address: int) -> str | None:
        """The C string at an address, if a printable one of reasonable length is there."""
        data, size = b"", 256
        while b"\0" not in data and size <= 1 << 16:
            data = self.read(address, size)
            if len(data) < size and b"\0" not in data:
                return None
            size *= 4
        raw, end, _ = data.partition(b"\0")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            return None
        self.text_left -= len(text)
        if not end or not text or not text.isprintable() or self.text_left < 0:
            return None
        return text


def unread(elf: Elf) -> str:
    """Why the host code of another processor is not read."""
    name = _MACHINES.get(elf.machine, f"ELF machine {elf.machine}")
    return (
        f"what the host code registers is not known: {name} code is not read, "
        "only x86-64 and AArch64"
    )
