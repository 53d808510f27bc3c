"""Every opcode of x86-64 in several forms, and every form of an operand, against LLVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from hipport.fatbin.host.x86_decode import Memory, decode
from tests.support.binaries import output_of, tool

pytestmark = pytest.mark.toolchain
_LINE = re.compile(r"^ *([0-9a-f]+): ((?:[0-9a-f]{2} )*[0-9a-f]{2})\s+(\S.*)$", re.M)
_SLOT = 32
"""An instruction has up to 15 bytes; others of one byte fill up, so that each slot is its own."""
_FILLING = b"\x90"
_PREFIXES = (b"", b"\x66", b"\x48", b"\x41", b"\xf3", b"\x66\x48")
# A register; memory at a register, with 1 and 4 bytes of displacement, by SIB, and by rip.
_MODRM = (b"\xc1", b"\x01", b"\x41", b"\x81", b"\x04\x08", b"\x05")
_REGISTERS = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
_OPERAND = re.compile(r"(-?0x[0-9a-f]+)?(?:\((?:%(\w+))?(?:,(?:%(\w+))?(?:,(\d))?)?\))?")
# The processors of the two vendors differ: the displacement has 2 or 4 bytes.
_AMBIGUOUS = {bytes((0xE8,)), bytes((0xE9,)), *(bytes((0x0F, op)) for op in range(0x80, 0x90))}
_SPLIT = {"xrelease", "wait", "rep", "repne", "data16"}
"""Prefixes that are printed as instructions of their own."""
# Addresses of 32 bits, absolute ones of 64, enter, far returns, the prefix REX2, 3DNow!, SSE4a.
_UNKNOWN = {bytes((op,)) for op in (0x67, *range(0xA0, 0xA4), 0xC8, 0xCA, 0xCB, 0xD5)}
_UNKNOWN |= {b"\x0f\x0e", b"\x0f\x0f", b"\x0f\x78"}


def opcodes() -> Iterator[bytes]:
    one = set(range(256)) - {*b"\x0f\x62\xc4\xc5\x66\xf2\xf3\xf0\x64\x65\x2e\x36\x3e\x26"}
    yield from (bytes((op,)) for op in sorted(one) if op & 0xF0 != 0x40)
    yield from (bytes((0x0F, op)) for op in range(256) if op not in (0x0F, 0x38, 0x3A))
    yield from (bytes((0x0F, table, op)) for table in (0x38, 0x3A) for op in range(256))


def vector_opcodes() -> Iterator[bytes]:
    for op in range(256):
        yield bytes((0xC5, 0xF8, op))
        yield bytes((0xC5, 0xFD, op))
        for table, rest in product((1, 2, 3), (0x79, 0x7D, 0xF9)):
            yield bytes((0xC4, 0xE0 | table, rest, op))
            yield bytes((0x62, 0xF0 | table, rest | 4, 0x48, op))


def disassembled(folder: Path, codes: list[bytes]) -> list[tuple[int, str]]:
    """Size and text of each instruction; the size is 0 for bytes that LLVM does not know."""
    source, made = folder / "code.s", folder / "code.o"
    padded = (code.ljust(_SLOT, _FILLING) for code in codes)
    source.write_text("".join(f".byte {','.join(map(str, slot))}\n" for slot in padded))
    output_of(tool("clang-22"), "--target=x86_64-linux-gnu", "-c", source, "-o", made)
    text = output_of(tool("llvm-objdump-22"), "-d", made)
    found = {int(at, 16): (len(raw.split()), what) for at, raw, what in _LINE.findall(text)}
    shown = [found.get(at * _SLOT, (0, "")) for at in range(len(codes))]
    return [(0 if "<unknown>" in what else size, what) for size, what in shown]


def test_each_opcode_has_its_length(tmp_path: Path) -> None:
    forms = [
        (op, prefix + op + modrm)
        for prefix, op, modrm in product(_PREFIXES, opcodes(), _MODRM)
        if not (prefix[:1] == b"\x66" and op in _AMBIGUOUS)
    ]
    forms += [(op, op + modrm) for op, modrm in product(vector_opcodes(), _MODRM)]
    wrong, known = [], 0
    codes = [code for _, code in forms]
    for (op, code), (size, what) in zip(forms, disassembled(tmp_path, codes), strict=True):
        one = decode(code.ljust(_SLOT, _FILLING), 0)
        if op in _UNKNOWN:
            assert one is None, what
        elif size and what not in _SPLIT:
            known += 1
            if one is None or one.size != size:
                wrong.append((code.hex(), what, size, one and one.size))
    assert wrong == [] and known > 20_000


def test_each_form_of_an_operand(tmp_path: Path) -> None:
    """`mov` with each ModRM and many SIB bytes, and each of the bits that REX adds to them."""
    sibs = (0x00, 0x0D, 0x24, 0x25, 0x65, 0x88, 0xE5, 0xFA)
    codes = [
        bytes((rex, 0x8B, modrm, sib))
        for rex in range(0x48, 0x50)
        for modrm in range(256)
        for sib in (sibs if modrm & 7 == 4 and modrm < 0xC0 else sibs[:1])
    ]
    for code, (size, what) in zip(codes, disassembled(tmp_path, codes), strict=True):
        one = decode(code.ljust(_SLOT, _FILLING), 0)
        operands = what.partition("#")[0].split(None, 1)[1].strip()
        operand, _, reg = operands.rpartition(", ")
        rm = _REGISTERS.index(operand[1:]) if operand[:1] == "%" else None
        assert one is not None and (one.size, one.opcode, one.wide) == (size, 0x8B, True), what
        assert (one.reg, one.rm) == (_REGISTERS.index(reg[1:]), rm), what
        assert one.memory == (_memory(operand) if rm is None else None), what


def _memory(operand: str) -> Memory:
    match = _OPERAND.fullmatch(operand)
    assert match is not None, operand
    base, index = (
        None if name in (None, "rip", "riz") else _REGISTERS.index(name)
        for name in match.group(2, 3)
    )
    scale, at = int(match[4] or 1), int(match[1] or "0", 16)
    return Memory(base, index, scale, at, match[2] == "rip")
