"""Streams of bits written by hand: records of every encoding, and what is said of damaged ones."""

from __future__ import annotations

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.object.bitstream import Bitstream, Record

END, ENTER, DEFINE, UNABBREVIATED = 0, 1, 2, 3
FIXED, VBR, ARRAY, CHAR6, BLOB = 1, 2, 3, 4, 5
Bits = str
"""The first bit is the first of the stream."""


def fixed(value: int, width: int) -> Bits:
    return "".join(str(value >> bit & 1) for bit in range(width))


def vbr(value: int, width: int) -> Bits:
    """LLVM Bitcode File Format, "Variable Width Value"."""
    high, bits = 1 << width - 1, ""
    while value >= high:
        bits += fixed(value & high - 1 | high, width)
        value >>= width - 1
    return bits + fixed(value, width)


def aligned(bits: Bits) -> Bits:
    return bits + "0" * (-len(bits) % 32)


def block(content: Bits, number: int = 8, width: int = 3, outer: int = 2) -> Bits:
    """It has to begin at a multiple of 32 bits."""
    body = aligned(content + fixed(END, width))
    head = fixed(ENTER, outer) + vbr(number, 8) + vbr(width, 4)
    return aligned(head) + fixed(len(body) // 32, 32) + body


def record(code: int, *values: int, width: int = 3) -> Bits:
    rest = "".join(vbr(each, 6) for each in (code, len(values), *values))
    return fixed(UNABBREVIATED, width) + rest


def define(*operands: tuple[int, int]) -> Bits:
    """Encodings and numbers of bits; encoding 0 is a literal."""
    bits = fixed(DEFINE, 3) + vbr(len(operands), 5)
    for encoding, value in operands:
        if encoding == 0:
            bits += "1" + vbr(value, 8)
        else:
            bits += "0" + fixed(encoding, 3) + (vbr(value, 5) if encoding < ARRAY else "")
    return bits


def stream(bits: Bits, before: bytes = b"") -> Bitstream:
    whole = aligned(bits)
    data = bytes(int(whole[at : at + 8][::-1], 2) for at in range(0, len(whole), 8))
    data = b"BC\xc0\xde" + data
    return Bitstream(MemorySource(before + data, "a"), len(before), len(before) + len(data))


def records(bits: Bits) -> list[Record]:
    return [each for one in stream(bits).blocks() for each in one.records()]


def test_records_without_abbreviation() -> None:
    content = record(7) + record(1, 2, 31, 32, 1 << 40) + record(64, 0)
    assert records(block(content) + block(record(5), width=3)) == [
        Record(7, []),
        Record(1, [2, 31, 32, 1 << 40]),
        Record(64, [0]),
        Record(5, []),
    ]


def test_records_with_abbreviations() -> None:
    content = define((0, 9), (FIXED, 3), (VBR, 4), (FIXED, 0), (CHAR6, 0))
    content += define((0, 300), (ARRAY, 0), (FIXED, 7))
    content += define((FIXED, 5), (ARRAY, 0), (0, 6))
    content += fixed(4, 3) + fixed(5, 3) + vbr(100, 4) + fixed(63, 6)
    content += fixed(5, 3) + vbr(3, 6) + fixed(1, 7) + fixed(127, 7) + fixed(64, 7)
    content += fixed(6, 3) + fixed(17, 5) + vbr(2, 6)
    assert records(block(content)) == [
        Record(9, [5, 100, 0, 63]),
        Record(300, [1, 127, 64]),
        Record(17, [6, 6]),
    ]


def test_a_blob_is_aligned_on_both_sides() -> None:
    content = define((0, 1), (BLOB, 0)) + fixed(4, 3) + vbr(5, 6)
    # The block's content begins at a multiple of 32 bits.
    content = aligned(content) + "".join(fixed(each, 8) for each in b"bytes")
    content = aligned(content) + record(2, 3)
    assert records(block(content)) == [Record(1, [], b"bytes"), Record(2, [3])]


def test_blocks_within_blocks_are_passed_over() -> None:
    inner = block(record(1, 1, width=4), number=9, width=4, outer=3)
    content = inner + record(2, 2)
    assert records(block(content)) == [Record(2, [2])]


def test_abbreviations_that_the_file_gives_every_block_of_a_number() -> None:
    info = record(1, 8) + define((0, 7), (FIXED, 4)) + record(1, 9) + define((0, 6))
    first = block(block(info, number=0, outer=3) + record(5), number=7)
    found = stream(first + block(fixed(4, 3) + fixed(11, 4)) + block(fixed(4, 3), number=9))
    assert [[*one.records()] for one in found.blocks()] == [
        [Record(5, [])],
        [Record(7, [11])],
        [Record(6, [])],
    ]


def test_zeros_behind_the_last_block_are_padding() -> None:
    assert records(block(record(7)) + "0" * 96) == [Record(7, [])]


LONG = fixed(0x3F, 6) * 14
DAMAGED = {
    "no block where one has to begin": fixed(END, 2) + "1" * 62,
    "a block of 8 bytes reaches past the end": block(record(1, 2))[:64].replace(
        fixed(1, 32), fixed(2, 32)
    )
    + "0" * 31
    + "1",
    "abbreviations of 1 bits": block(record(1), width=1),
    "abbreviations of 33 bits": block(record(1), width=33),
    "cut off": block(fixed(UNABBREVIATED, 3) + "0" * 6 + vbr(60, 6)),
    "a number of more than 64 bits": block(fixed(UNABBREVIATED, 3) + LONG),
    "no abbreviation 4": block(fixed(4, 3)),
    "an abbreviation that belongs to no block": block(define((0, 1)), number=0),
    "a record of 65537 values": block(fixed(UNABBREVIATED, 3) + vbr(1, 6) + vbr(65537, 6)),
    "an abbreviation of 65537 operands": block(fixed(DEFINE, 3) + vbr(65537, 5)),
    "an operand of encoding 0 with 0 bits": block(define((8, 0))),
    "an operand of encoding 6 with 0 bits": block(define((6, 0))),
    "an operand of encoding 1 with 65 bits": block(define((FIXED, 65))),
    "an operand of encoding 2 with 1 bits": block(define((VBR, 1))),
    "an array of 3 elements": block(define((0, 1), (ARRAY, 0)) + fixed(4, 3) + vbr(3, 6)),
    "a blob of 99 bytes reaches past the end": block(
        define((0, 1), (BLOB, 0)) + fixed(4, 3) + vbr(99, 6)
    ),
    "a record without a code": block(define() + fixed(4, 3)),
}


@pytest.mark.parametrize("message", DAMAGED)
def test_what_is_said_of_damage(message: str) -> None:
    with pytest.raises(FormatError) as error:
        [list(one.records()) for one in stream(DAMAGED[message], b"12345678").blocks()]
    assert str(error.value).split(": LLVM bitcode: ")[1] == message
    assert error.value.offset is not None and error.value.offset >= 12


def test_what_is_no_bitcode() -> None:
    with pytest.raises(FormatError) as error:
        Bitstream(MemorySource(b"12BC\xc0\xdf", "a"), 2, 6)
    assert str(error.value) == "a: offset 0x2: no LLVM bitcode"


def test_where_numbers_are_read() -> None:
    found = stream(fixed(5, 3) + fixed(0x1234, 16) + fixed(1, 13), b"12")
    assert (found.fixed(3), found.fixed(16), found.position) == (5, 0x1234, 51)
    found.align()
    assert found.position == 64
    found.align()
    assert found.position == 64
    assert str(found.fault("x")) == "a: offset 0xa: LLVM bitcode: x"
