"""LLVM's bitstream container: blocks of records, with abbreviations that the file defines.

LLVM Bitcode File Format, "Bitstream Format". Only what is asked for is decoded: blocks within
blocks are passed over by their length.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.byte_source import Source
from hipport.fatbin.format_error import FormatError
from hipport.named_tuples import NamedTuple

_MAGIC = b"BC\xc0\xde"
_END, _ENTER, _DEFINE, _UNABBREVIATED = 0, 1, 2, 3
_FIXED, _VBR, _ARRAY, _CHAR6, _BLOB = 1, 2, 3, 4, 5
_BLOCKINFO, _SETBID = 0, 1
_OUTERMOST_WIDTH = 2
_MAX_VALUES = 1 << 16
_MAX_ABBREVIATIONS = 1 << 12
_MAX_NUMBERS = 1 << 23
"""Of a whole stream: a few seconds' work."""

Abbreviation = list[tuple[int, int]]
"""Encoding and its number of bits; encoding 0 is a literal value."""


class Record(NamedTuple):
    code: int
    values: list[int]
    blob: bytes = b""


class Bitstream:
    """A stream between two offsets of a source."""

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source, self.start = source, start
        self.data = source.read(start, end - start)
        if self.data[:4] != _MAGIC:
            raise source.fault(start, "no LLVM bitcode")
        self.end = len(self.data) * 8
        self.position = 32
        self.left = _MAX_NUMBERS
        self.known: dict[int, list[Abbreviation]] = {}
        """Block number -> abbreviations that BLOCKINFO gives every block of it."""

    def blocks(self) -> Iterator[Block]:
        """The outermost blocks. Bytes behind them that are zero are padding."""
        while self.position + 32 <= self.end:
            if not any(self.data[self.position // 8 :]):
                return
            if self.fixed(_OUTERMOST_WIDTH) != _ENTER:
                raise self.fault("no block where one has to begin")
            block = self.enter()
            yield block
            self.position = block.end

    def enter(self) -> Block:
        """The block whose ENTER_SUBBLOCK was just read."""
        number, width = self.vbr(8), self.vbr(4)
        self.align()
        words = self.fixed(32)
        end = self.position + words * 32
        if end > self.end:
            raise self.fault(f"a block of {words * 4} bytes reaches past the end")
        if not 2 <= width <= 32:
            raise self.fault(f"abbreviations of {width} bits")
        return Block(self, number, width, self.position, end)

    def fixed(self, bits: int) -> int:
        """The next bits as a number."""
        at, shift = divmod(self.position, 8)
        self.position += bits
        self.left -= 1
        if self.position > self.end or self.left < 0:
            raise self.fault("cut off" if self.left >= 0 else "more numbers than are read")
        chunk = self.data[at : at + (shift + bits + 7) // 8]
        return int.from_bytes(chunk, "little") >> shift & (1 << bits) - 1

    def vbr(self, bits: int) -> int:
        """The next number of variable width."""
        high, value, shift = 1 << bits - 1, 0, 0
        while True:
            piece = self.fixed(bits)
            value |= (piece & high - 1) << shift
            if not piece & high:
                return value
            shift += bits - 1
            if shift > 64:
                raise self.fault("a number of more than 64 bits")

    def align(self) -> None:
        """To the next 32 bits."""
        self.position = -(-self.position // 32) * 32

    def fault(self, problem: str) -> FormatError:
        return self.source.fault(self.start + self.position // 8, f"LLVM bitcode: {problem}")


class Block:
    """One block."""

    def __init__(self, stream: Bitstream, number: int, width: int, start: int, end: int) -> None:
        self.stream, self.number, self.width = stream, number, width
        self.start, self.end = start, end

    @property
    def offset(self) -> int:
        """In the file, for messages."""
        return self.stream.start + self.start // 8

    def records(self) -> Iterator[Record]:
        """The block's own records. Blocks inside it are skipped, except BLOCKINFO."""
        stream = self.stream
        stream.position = self.start
        abbreviations = list(stream.known.get(self.number, []))
        target: list[Abbreviation] | None = None
        while stream.position < self.end:
            which = stream.fixed(self.width)
            if which == _END:
                return
            if which == _ENTER:
                inner = stream.enter()
                if inner.number == _BLOCKINFO:
                    for _ in inner.records():
                        pass
                stream.position = inner.end
            elif which == _DEFINE:
                kept = abbreviations if self.number != _BLOCKINFO else target
                if kept is None or len(kept) > _MAX_ABBREVIATIONS:
                    raise stream.fault("an abbreviation that belongs to no block")
                kept.append(_definition(stream))
            else:
                record = self._record(which, abbreviations)
                if self.number == _BLOCKINFO and record.code == _SETBID and record.values:
                    target = stream.known.setdefault(record.values[0], [])
                yield record

    def _record(self, which: int, abbreviations: list[Abbreviation]) -> Record:
        stream = self.stream
        if which == _UNABBREVIATED:
            code, count = stream.vbr(6), stream.vbr(6)
            if count > _MAX_VALUES:
                raise stream.fault(f"a record of {count} values")
            return Record(code, [stream.vbr(6) for _ in range(count)])
        if which - 4 >= len(abbreviations):
            raise stream.fault(f"no abbreviation {which}")
        values, blob = _abbreviated(stream, abbreviations[which - 4])
        if not values:
            raise stream.fault("a record without a code")
        return Record(values[0], values[1:], blob)


def _definition(stream: Bitstream) -> Abbreviation:
    count = stream.vbr(5)
    if count > _MAX_VALUES:
        raise stream.fault(f"an abbreviation of {count} operands")
    found: Abbreviation = []
    while len(found) < count:
        if stream.fixed(1):
            found.append((0, stream.vbr(8)))
            continue
        encoding = stream.fixed(3)
        bits = stream.vbr(5) if encoding in (_FIXED, _VBR) else 0
        if not _FIXED <= encoding <= _BLOB or bits > 64 or (encoding == _VBR and bits == 1):
            raise stream.fault(f"an operand of encoding {encoding} with {bits} bits")
        found.append((encoding, bits))
    return found


def _abbreviated(stream: Bitstream, abbreviation: Abbreviation) -> tuple[list[int], bytes]:
    values: list[int] = []
    operands = iter(abbreviation)
    for encoding, bits in operands:
        if encoding == _ARRAY:
            element = next(operands, None)
            count = stream.vbr(6)
            if element is None or element[0] in (_ARRAY, _BLOB) or count > stream.left:
                raise stream.fault(f"an array of {count} elements")
            stream.left -= count  # some elements take no space
            values += [_scalar(stream, *element) for _ in range(count)]
        elif encoding == _BLOB:
            size = stream.vbr(6)
            stream.align()
            at = stream.position // 8
            stream.position += size * 8
            stream.align()
            if stream.position > stream.end:
                raise stream.fault(f"a blob of {size} bytes reaches past the end")
            return values, stream.data[at : at + size]
        else:
            values.append(_scalar(stream, encoding, bits))
    return values, b""


def _scalar(stream: Bitstream, encoding: int, bits: int) -> int:
    if encoding == 0:
        return bits
    if encoding == _CHAR6:
        return stream.fixed(6)
    if not bits:
        return 0
    return stream.fixed(bits) if encoding == _FIXED else stream.vbr(bits)
