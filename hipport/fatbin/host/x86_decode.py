"""The parts of an x86-64 instruction: length, opcode, and operands, but not its effect.

Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and appendix A.
"""

from __future__ import annotations

from hipport.named_tuples import NamedTuple

_PREFIXES = frozenset(b"\x66\xf2\xf3\x2e\x36\x3e\x26\x64\x65\xf0")
_ONE_WITH_MODRM = frozenset(
    [op for op in range(0x40) if op & 7 < 4]
    + [0x63, 0x69, 0x6B, *range(0x80, 0x90), 0xC0, 0xC1, 0xC6, 0xC7, *range(0xD0, 0xD4)]
    + [*range(0xD8, 0xE0), 0xF6, 0xF7, 0xFE, 0xFF]
)
_BYTE = frozenset(
    [op for op in range(0x40) if op & 7 == 4]
    + [0x6A, 0x6B, *range(0x70, 0x81), 0x83, 0xA8, *range(0xB0, 0xB8), 0xC0, 0xC1, 0xC6, 0xCD]
    + [*range(0xE0, 0xE8), 0xEB]
)
_WORD = frozenset([op for op in range(0x40) if op & 7 == 5] + [0x68, 0x69, 0x81, 0xA9, 0xC7])
_NONE = frozenset(
    (
        *(*range(0x50, 0x60), 0x6C, 0x6D, 0x6E, 0x6F, *range(0x90, 0x9A), *range(0x9B, 0xA0)),
        *(*range(0xA4, 0xA8), *range(0xAA, 0xB0), 0xC3, 0xC9, 0xCC, 0xCF, 0xD7, *range(0xEC, 0xF0)),
        *(0xF1, 0xF4, 0xF5, *range(0xF8, 0xFE)),
    )
)
_TWO_WITHOUT = frozenset(
    (
        *(0x05, 0x06, 0x07, 0x08, 0x09, 0x0B, *range(0x30, 0x38), 0x77, *range(0xA0, 0xA3)),
        *(*range(0xA8, 0xAB), *range(0xC8, 0xD0)),
    )
)
_TWO_BYTE = frozenset([*range(0x70, 0x74), 0xA4, 0xAC, 0xBA, 0xC2, 0xC4, 0xC5, 0xC6])


class Memory(NamedTuple):
    """A memory operand: two registers, the second times a scale, and a displacement."""

    base: int | None
    scaled: int | None
    scale: int
    displacement: int
    relative: bool = False
    """To the next instruction."""


class Instruction(NamedTuple):
    size: int
    opcode: int
    """0x0Fxx, 0x0F38xx and 0x0F3Axx for those of more bytes, with VEX and EVEX too."""
    wide: bool
    """64 bits (REX.W)."""
    vector: bool
    """With a VEX or EVEX prefix; the displacement of the latter may be scaled."""
    reg: int | None
    """Of ModRM, or of the opcode."""
    rm: int | None
    """The register of ModRM; None where it is memory or absent."""
    memory: Memory | None
    immediate: int


def decode(code: bytes, at: int) -> Instruction | None:
    """The instruction at an offset; None if it is unknown or cut off."""
    try:
        return _decode(code, at)
    except IndexError:
        return None


def _decode(code: bytes, start: int) -> Instruction | None:
    at, short = start, False
    while code[at] in _PREFIXES:
        short |= code[at] == 0x66
        at += 1
    rex, vector, table = 0, False, 0
    if code[at] & 0xF0 == 0x40:
        rex, at = code[at], at + 1
        short &= not rex & 8
    if code[at] == 0x8F and code[at + 1] & 8:  # AMD's XOP, which shares the byte with pop
        return None
    if code[at] in (0xC4, 0xC5, 0x62):
        vector, rex, table, at = True, *_vector_prefix(code, at)
    elif code[at] == 0x0F:
        table, at = 1, at + 1
        if code[at] in (0x38, 0x3A):
            table, at = (2 if code[at] == 0x38 else 3), at + 1
    op, at = code[at], at + 1
    form = _form(table, op, bool(rex & 8), short, vector)
    if form is None:
        return None
    has_modrm, immediate_size = form
    reg: int | None = None
    rm: int | None = None
    memory = None
    if has_modrm:
        modrm = code[at]
        reg = modrm >> 3 & 7
        if table == 0 and op in (0xF6, 0xF7) and reg < 2:  # test with a number
            immediate_size = 1 if op == 0xF6 else 2 if short else 4
        if table or op not in GROUPS:
            reg |= (rex & 4) << 1
        if modrm >> 6 == 3:
            rm, at = modrm & 7 | (rex & 1) << 3, at + 1
        else:
            memory, at = _memory(code, at, rex)
    elif table == 0 and (0x50 <= op < 0x60 or 0xB0 <= op < 0xC0 or 0x90 <= op < 0x98):
        reg = op & 7 | (rex & 1) << 3
    end = at + immediate_size
    if end > len(code) or end - start > 15:
        return None
    immediate = int.from_bytes(code[at:end], "little", signed=True)
    opcode = (0, 0x0F00, 0x0F3800, 0x0F3A00)[table] | op
    return Instruction(end - start, opcode, bool(rex & 8), vector, reg, rm, memory, immediate)


# Opcodes whose reg field selects the operation.
GROUPS = frozenset(
    (
        *(*range(0x80, 0x84), 0x8F, 0xC0, 0xC1, 0xC6, 0xC7, *range(0xD0, 0xD4), *range(0xD8, 0xE0)),
        *(0xF6, 0xF7, 0xFE, 0xFF),
    )
)


def _form(table: int, op: int, wide: bool, short: bool, vector: bool) -> tuple[bool, int] | None:
    """Whether there is a ModRM byte, and the bytes of the immediate number."""
    if table > 3 or (vector and not table):
        return None
    if table == 3:
        return True, 1
    if table == 2:
        return True, 0
    if table == 1:
        if vector:
            return op != 0x77, op in _TWO_BYTE
        if op in (0x0E, 0x0F, 0x78):  # 3DNow!, SSE4a
            return None
        if 0x80 <= op < 0x90:
            return False, 4
        return (False, 0) if op in _TWO_WITHOUT else (True, int(op in _TWO_BYTE))
    if 0xB8 <= op < 0xC0:
        return False, 8 if wide else 2 if short else 4
    if op in (0xE8, 0xE9):
        return False, 4
    if op == 0xC2:
        return False, 2
    size = 1 if op in _BYTE else (2 if short else 4) if op in _WORD else 0
    has_modrm = op in _ONE_WITH_MODRM
    return (has_modrm, size) if has_modrm or size or op in _NONE else None


def _vector_prefix(code: bytes, at: int) -> tuple[int, int, int]:
    """What VEX and EVEX say as a REX prefix would, the opcode map, and where the opcode is."""
    first, payload = code[at], code[at + 1]
    if first == 0xC5:
        return 0x40 | (~payload >> 5 & 4), 1, at + 2
    rex = 0x40 | (~payload >> 5 & 7) | (code[at + 2] >> 4 & 8)
    if first == 0xC4:
        return rex, payload & 31, at + 3
    # Maps 5 and 6 (half precision) have no immediate numbers either, as map 2.
    return rex, {5: 2, 6: 2}.get(payload & 7, payload & 7), at + 4


def _memory(code: bytes, at: int, rex: int) -> tuple[Memory, int]:
    """The memory operand of the ModRM byte at an offset, and the offset behind it."""
    mode, low = code[at] >> 6, code[at] & 7
    at += 1
    base: int | None = low | (rex & 1) << 3
    index, scale = None, 1
    if low == 4:
        sib, at = code[at], at + 1
        number = sib >> 3 & 7 | (rex & 2) << 2
        index, scale = (None if number == 4 else number), 1 << (sib >> 6)
        base = sib & 7 | (rex & 1) << 3
        if sib & 7 == 5 and mode == 0:
            base = None
    elif low == 5 and mode == 0:
        return Memory(None, None, 1, displacement(code, at, 4), True), at + 4
    size = (4 if base is None else 0, 1, 4)[mode]
    return Memory(base, index, scale, displacement(code, at, size)), at + size


def displacement(code: bytes | memoryview, at: int, size: int = 4) -> int:
    """The signed number in so many bytes of an instruction."""
    return int.from_bytes(code[at : at + size], "little", signed=True)
