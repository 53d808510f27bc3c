"""The Descriptor tab: the 64 bytes that the hardware reads, field by field and bit by bit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.fatbin.object.code_object import Kernel
from hipport.fatbin.object.kernel_descriptor import SIZE
from hipport.tui.content.kernel import find_kernel
from hipport.tui.content.listing import CHOOSE
from hipport.tui.facts import Bits, descriptor_bits, layouts
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope
from hipport.tui.spans import Line, fact, heading, line
from hipport.tui.view_settings import Settings

_WIDTH = 34


def prepare(
    library: Library, scope: Scope, progress: Progress, settings: Settings
) -> Iterator[list[Line]]:
    if scope.kernel is None:
        yield [line((CHOOSE, "dim"))]
        return
    kernel = find_kernel(library, scope.kernel)
    place = kernel.code_object.bytes_of(kernel.symbol or f"{kernel.name}.kd")
    if place is None:
        yield [line(("The code object has no descriptor for this kernel.", "bad"))]
        return
    data = kernel.code_object.source.read(place[0], SIZE)
    lines = [heading(f"Kernel descriptor at {place[0]:#x} of the code object"), line()]
    yield lines + descriptor_lines(data, kernel.code_object.target.processor) + _against(kernel)


def descriptor_lines(data: bytes, processor: str) -> list[Line]:
    """Fields and bits of a descriptor for that processor, with what they mean."""
    lines = []
    for field in layouts()["kernel descriptor"]:
        if field.form == "bytes":
            continue
        value = int.from_bytes(data[field.offset : field.offset + field.size], "little")
        if field.form == "dec":
            lines.append(fact(field.name, f"{value} bytes", width=_WIDTH))
            continue
        signed = value - (1 << 64) if field.size == 8 and value >> 63 else value
        lines.append(fact(field.name, f"{signed:#x}", width=_WIDTH))
        lines += [
            _bits(bits, value)
            for bits in descriptor_bits()
            if bits.register == field.name and re.match(bits.processors, processor)
        ]
    return lines


def _bits(bits: Bits, register: int) -> Line:
    value = register >> bits.low & (1 << bits.width) - 1
    words = bits.words.get(str(value), bits.words.get("*", ""))
    return line(f"  {value:>5}  ", (bits.name.lower(), "label"), f"  {words}" if words else "")


def _against(kernel: Kernel) -> list[Line]:
    """Where the metadata differs."""
    descriptor = kernel.descriptor
    if descriptor is None or kernel.code_object.version < 3:
        return []
    pairs = (
        ("LDS", descriptor.lds, kernel.lds),
        ("scratch", descriptor.scratch, kernel.scratch),
        ("kernarg", descriptor.kernarg, kernel.kernarg_size),
    )
    wrong = [
        line((f"{what}: {ours} here, {theirs} in the metadata", "bad"))
        for what, ours, theirs in pairs
        if ours != theirs and not (what == "kernarg" and ours == 0)
    ]
    return [line(), *(wrong or [line(("It agrees with the metadata.", "good"))])]
