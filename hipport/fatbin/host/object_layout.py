"""Addresses for the sections of an object file, as a small link in memory would give them."""

from __future__ import annotations

from hipport.fatbin.host.host_image import FUNCTIONS

_BASE, _ALIGN = 0x100000, 4096
GOT = 0x80000
"""Address of the global offset table, from which the large code model counts distances."""


class Layout:
    """Addresses given to sections and undefined functions, and the bytes at them."""

    def __init__(self) -> None:
        self.next = _BASE
        self.places: dict[int, tuple[int, bytearray]] = {}
        """Section number -> address and content."""
        self.stubs: dict[int, str] = {}
        self.slots: dict[int, str] = {}
        self._undefined: dict[tuple[str, bool], int] = {}

    def add(self, number: int, content: bytearray) -> None:
        self.places[number] = (self.next, content)
        self.next += -(-max(1, len(content)) // _ALIGN) * _ALIGN

    def undefined(self, name: str, slot: bool) -> int | None:
        """The stub or slot of a runtime function; None for any other name."""
        if name not in FUNCTIONS:
            return None
        if (name, slot) not in self._undefined:
            self._undefined[name, slot] = self.next
            (self.slots if slot else self.stubs)[self.next] = name
            self.next += 16
        return self._undefined[name, slot]

    def read(self, address: int, size: int) -> bytes:
        for start, content in self.places.values():
            if start <= address < start + len(content):
                return bytes(content[address - start : address - start + size])
        return b""


def store(content: bytearray, offset: int, value: int, size: int) -> None:
    content[offset : offset + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
