"""Lengths of x86-64 instructions, against LLVM's disassembler."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from hipport.fatbin.host.x86_decode import Memory, decode
from tests.support.binaries import only, output_of, tool

_LINE = re.compile(r"^ *([0-9a-f]+): +\t?(\S+)", re.M)
# Printed as an instruction of their own, before the one that they belong to.
_PREFIXES = {"lock", "rep", "repne", "xacquire", "xrelease", "notrack", "addr32", "data16"}


@pytest.mark.toolchain
def test_every_instruction_of_a_library_has_its_length() -> None:
    path = Path("/usr/lib/x86_64-linux-gnu/libstdc++.so.6")
    elf = only(path).elf
    assert elf is not None
    section = elf.find(".text")
    assert section is not None
    code = elf.content(section).read(0, section.size)
    text = output_of(tool("llvm-objdump-22"), "-d", "--no-show-raw-insn", "-j", ".text", path)
    lines = [(int(at, 16) - section.address, what) for at, what in _LINE.findall(text)]
    wrong = []
    for (at, what), (following, _) in pairwise(lines):
        one = decode(code, at)
        if what not in _PREFIXES and (one is None or one.size != following - at):
            wrong.append((hex(at), what, code[at:following].hex()))
    assert len(lines) > 100_000 and wrong == []


@pytest.mark.parametrize(
    ("code", "memory"),
    [
        ("488d05f9ffffff", Memory(None, None, 1, -7, True)),
        ("498b3407", Memory(15, 0, 1, 0)),
        ("488b4c2428", Memory(4, None, 1, 40)),
        ("ff1425c0400000", Memory(None, None, 1, 0x40C0)),
        ("c4a1781044b908", Memory(1, 15, 4, 8)),
    ],
)
def test_memory_operands(code: str, memory: Memory) -> None:
    one = decode(bytes.fromhex(code), 0)
    assert one is not None and (one.memory, one.size) == (memory, len(code) // 2)


@pytest.mark.parametrize(
    "code",
    ["06", "0f0f0000", "8fe878c2ef02", "62f47c0800c0", "48b80000", "0f", "66" * 16, ""],
    ids=["invalid", "3DNow", "XOP", "APX", "cut off", "half", "prefixes", "nothing"],
)
def test_what_is_not_known_is_no_instruction(code: str) -> None:
    assert decode(bytes.fromhex(code), 0) is None


def test_opcodes_that_name_a_register_in_their_last_bits() -> None:
    """Intel SDM, volume 2, appendix A: push and pop, xchg with rax, mov of a number."""
    named = {*range(0x50, 0x60), *range(0x90, 0x98), *range(0xB0, 0xC0)}
    for op in range(256):
        for rex, more in ((b"", 0), (b"\x41", 8), (b"\x44", 0)):
            found = decode(rex + bytes((op,)) + b"\xc0" + bytes(12), 0)
            if found is None or op & 0xF0 == 0x40 or op in (0x0F, 0xC4, 0xC5, 0x62):
                continue
            if op in named:
                assert (found.reg, found.rm, found.memory) == (op % 8 + more, None, None), op
            else:
                assert found.reg is None or (found.rm, found.memory) != (None, None), op
