"""Relocations of AArch64 as LLVM's linker applies them, the addresses of a small link, and the
entries of a procedure linkage table."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.elf_file import RELA, SHT_RELA, SHT_SYMTAB, Elf
from hipport.fatbin.host import aarch64_code, x86_code
from hipport.fatbin.host.aarch64_relocations import VIA_GOT, applied, size_of
from hipport.fatbin.host.host_image import HostImage
from hipport.fatbin.host.object_layout import Layout, store
from tests.support.binaries import only, output_of, tool

_NEAR, _FAR, _TEXT = 0x1A8B8, 0x123456789AB8, 0x10000
_CODE = """\
.globl near, far
.text
adr x1, near
adrp x2, near
add x3, x3, :lo12:near
ldr x4, [x4, :lo12:near]
movz x5, #:abs_g0_nc:far
movk x5, #:abs_g1_nc:far
movk x5, #:abs_g2_nc:far
movk x5, #:abs_g3:far
movz x6, #:abs_g1:near
movz x6, #:abs_g2:far
movz x6, #:abs_g0:small
adrp x6, :pg_hi21_nc:near
b near
bl near
ldr x7, near
.quad near
"""


@pytest.mark.toolchain
def test_each_relocation_is_applied_as_the_linker_does(tmp_path: Path) -> None:
    source, made, linked = (tmp_path / name for name in ("a.s", "a.o", "a"))
    source.write_text(_CODE)
    output_of(tool("clang-22"), "--target=aarch64-linux-gnu", "-c", source, "-o", made)
    values = {"near": _NEAR, "far": _FAR, "small": 0x1234}
    names = [f"--defsym={name}={value}" for name, value in values.items()]
    options = (f"-Ttext={_TEXT:#x}", "--image-base=0", "-e", "0", "--no-pie", *names)
    output_of(tool("ld.lld-22"), made, *options, "-o", linked)
    elf, wanted = only(made).elf, only(linked).elf
    assert elf is not None and wanted is not None
    code, expected = bytearray(_text(elf)), _text(wanted)
    symbols = [symbol.name for symbol in elf.symbols(SHT_SYMTAB)]
    (table,) = (section for section in elf.sections if section.type == SHT_RELA)
    kinds = set()
    for at, info, addend in RELA.iter_unpack(elf.content(table).view(0, table.size)):
        kind, size = info & 0xFFFFFFFF, size_of(info & 0xFFFFFFFF)
        field = int.from_bytes(code[at : at + size], "little")
        new = applied(kind, field, _TEXT + at, values[symbols[info >> 32]] + addend)
        assert new is not None, kind
        store(code, at, new, size)
        kinds.add(kind)
    assert bytes(code) == expected and len(kinds) == 16


def _text(elf: Elf) -> bytes:
    section = elf.find(".text")
    assert section is not None
    return elf.content(section).read(0, section.size)


def test_other_relocations_are_not_known() -> None:
    """Those through the global offset table are like those without, as the slot is given."""
    page, low = VIA_GOT
    assert applied(page, 0x90000001, 0x10000, _NEAR) == applied(275, 0x90000001, 0x10000, _NEAR)
    assert applied(low, 0xF9400021, 0x10000, _NEAR) == applied(286, 0xF9400021, 0x10000, _NEAR)
    known = {257, *range(263, 270), 273, 274, 275, 276, 277, 282, 283, 286, 311, 312}
    assert {kind for kind in range(600) if applied(kind, 0, 0, 0) is not None} == known
    assert {kind: size_of(kind) for kind in range(600)} == dict.fromkeys(range(600), 4) | {257: 8}


def test_sections_and_functions_of_an_object_have_addresses_of_their_own() -> None:
    layout = Layout()
    layout.add(1, bytearray(b"a" * 4096))
    layout.add(2, bytearray())
    layout.add(7, bytearray(b"b" * 4097))
    assert [place for place, _ in layout.places.values()] == [0x100000, 0x101000, 0x102000]
    names = ("__hipRegisterFunction", "__hipRegisterFatBinary")
    stubs = [layout.undefined(name, slot=False) for name in names]
    slots = [layout.undefined(name, slot=True) for name in names]
    assert (stubs, slots) == ([0x104000, 0x104010], [0x104020, 0x104030])
    assert layout.undefined(names[0], slot=False) == stubs[0]
    assert layout.undefined("malloc", slot=False) is None
    assert layout.stubs == dict(zip(stubs, names, strict=True))
    assert layout.slots == dict(zip(slots, names, strict=True))
    assert (layout.read(0x100FFF, 4), layout.read(0x101000, 1)) == (b"a", b"")
    assert (layout.read(0x103000, 4), layout.read(0x103001, 4)) == (b"b", b"")


def test_numbers_are_stored_in_so_many_bytes() -> None:
    content = bytearray(8)
    store(content, 2, -2, 4)
    assert content == b"\0\0\xfe\xff\xff\xff\0\0"


ADRP, LDR, ADD, BR = 0xB0000010, 0xF9408211, 0x91040210, 0xD61F0220
BTI = 0xD503245F


@pytest.mark.parametrize(
    ("words", "entries"),
    [
        ((ADRP, LDR, ADD, BR), [0]),
        ((BTI, ADRP, LDR, ADD, BR), [0, 4]),
        ((BR, BTI, ADRP, LDR, ADD, BR), [4, 8]),
        ((ADRP, ADD, LDR, BR), [4]),
        ((BR, LDR, ADD, BR), []),
        ((ADRP ^ 1, LDR, ADD, BR), []),
    ],
)
def test_entries_of_a_linkage_table(words: tuple[int, ...], entries: list[int]) -> None:
    """`adrp x16, page; ldr x17, [x16, #0x100]` loads the slot at 0x11100."""
    code = b"".join(struct.pack("<I", word) for word in words)
    slots = {0x11100: "__hipRegisterFunction"}
    source = MemorySource(code, "input")
    image = HostImage(
        source, [(0x10000, memoryview(code))], lambda *_: b"", lambda _: None, slots, aarch64=True
    )
    found = aarch64_code.stubs(image)
    assert found == {0x10000 + at: "__hipRegisterFunction" for at in entries}


NOP = 0xD503201F


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        ((0x94000004, NOP), [0]),  # bl, to 16 bytes behind it
        ((NOP, 0x94000003), [4]),
        ((0x14000004, NOP), [0]),  # b
        ((0x97FFFFFF, 0x94000002), []),  # to other places
        ((NOP, 0x54000063), []),  # a branch on a condition
        ((ADRP & ~31, 0xF9408001), [4]),  # ldr x1, the slot itself
        ((ADRP & ~31, LDR), []),  # an entry of the table, no use
    ],
)
def test_calls_of_an_entry_and_loads_of_a_slot(words: tuple[int, ...], calls: list[int]) -> None:
    """Arm, "A64 base instructions": the distance of B and BL is counted in instructions."""
    code = b"".join(struct.pack("<I", word) for word in words)
    slots, name = {0x11100: "__hipRegisterFunction"}, "__hipRegisterFunction"
    image = HostImage(
        MemorySource(code, "input"),
        [(0x10000, memoryview(code))],
        *(lambda *_: b"", lambda _: None),
        slots,
        aarch64=True,
    )
    assert aarch64_code.uses(image, {0x10010: name}) == [0x10000 + at for at in calls]


def test_registers_that_a_call_may_change() -> None:
    """System V psABI, "Registers"; Microsoft's x64 convention; AAPCS64."""
    assert x86_code.SYSTEM_V.lost == {0, 1, 2, 6, 7, 8, 9, 10, 11}
    assert x86_code.WINDOWS.lost == {0, 1, 2, 8, 9, 10, 11}
    assert aarch64_code.MACHINE.lost == {*range(19), 30}
    machines = (x86_code.SYSTEM_V, x86_code.WINDOWS, aarch64_code.MACHINE)
    assert [(each.first, each.names) for each in machines] == [
        (7, (1, 2)),
        (1, (9, 8)),
        (0, (3, 2)),
    ]
