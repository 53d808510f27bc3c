"""tar files, plain or compressed (POSIX.1-2001 "pax Interchange Format", GNU long names).

A plain one is read in place; a compressed one is a stream that is read once, with only
members that may hold device code kept, in memory or, if large, in a temporary file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Protocol

from hipport.fatbin.byte_source import MemorySource, Source, Window
from hipport.fatbin.compression import streams
from hipport.fatbin.first_bytes import may_hold_device_code
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import RAISE_LIMIT, Limits
from hipport.fatbin.package_kinds import compression, not_opened
from hipport.fatbin.packages.compressed_member import LOOK
from hipport.fatbin.packages.held import hold

NAME = "tar"
_BLOCK = 512
_MAX_NAME = 1 << 16


class _Reader(Protocol):
    def read(self, size: int) -> bytes: ...
    def member(self, size: int, label: str) -> Source | None: ...
    def fault(self, message: str) -> FormatError: ...


def members(source: Source, limits: Limits) -> Iterator[tuple[str, Source | FormatError]]:
    """The regular files; links and devices are left out."""
    method = compression(source.head(0, _BLOCK))
    reader: _Reader = _Streamed(source, method, limits) if method else _Direct(source)
    name_from_before, count = "", 0
    try:
        while True:
            header = reader.read(_BLOCK)
            if header.count(0) == len(header):
                return
            if len(header) < _BLOCK or header[257:262] != b"ustar" or not _sum_right(header):
                raise reader.fault("a damaged tar header" if count else "no tar file inside")
            size, kind = _number(header[124:136], reader), header[156:157]
            if kind in (b"x", b"g", b"L", b"K"):
                if size > _MAX_NAME:
                    raise reader.fault(f"an extended header of {size} bytes")
                body = reader.read(-(-size // _BLOCK) * _BLOCK)[:size]
                if kind == b"L":
                    name_from_before = _text(body.rstrip(b"\0"))
                elif kind == b"x":
                    name_from_before = _pax_path(body) or name_from_before
                continue
            name = name_from_before or _name(header)
            name_from_before = ""
            member = reader.member(size, f"{source.label}!{name}")
            if kind in (b"0", b"\0", b"7") and member is not None:
                yield name, member
            count += 1
            if count > limits.max_members:
                raise reader.fault(f"more than {limits.max_members} members")
    except FormatError as error:
        yield "", error


class _Direct:
    """A plain tar file: members are windows."""

    def __init__(self, source: Source) -> None:
        self._source, self._position = source, 0

    def read(self, size: int) -> bytes:
        data = self._source.head(self._position, size)
        self._position += len(data)
        return data

    def member(self, size: int, label: str) -> Source | None:
        member = Window(self._source, self._position, size)
        self._position += -(-size // _BLOCK) * _BLOCK
        return member

    def fault(self, message: str) -> FormatError:
        return self._source.fault(self._position, message)


class _Streamed:
    """A compressed tar file: read once, forwards."""

    def __init__(self, source: Source, method: str, limits: Limits) -> None:
        self._source, self._limits, self._done = source, limits, 0
        self._pieces = streams(source, method, limits.max_stream)
        self._rest = b""

    def read(self, size: int) -> bytes:
        data = bytearray()
        for part in self._parts(size):
            data += part
        return bytes(data)

    def _parts(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes in parts, fewer at the end of the stream."""
        while size:
            if not self._rest:
                self._rest = next(self._pieces, b"")
                if not self._rest:
                    return
            part, self._rest = self._rest[:size], self._rest[size:]
            self._done += len(part)
            if self._done > self._limits.max_stream:
                raise self.fault(f"more than {self._limits.max_stream} bytes decompressed")
            size -= len(part)
            yield part

    def member(self, size: int, label: str) -> Source | None:
        look = self.read(min(size, LOOK))
        padded = -(-size // _BLOCK) * _BLOCK
        rest = self._parts(padded - len(look))
        if may_hold_device_code(look):
            content = hold(chain([look], rest), self._limits, label)
            if content.size < size:
                raise self.fault("the tar file is cut off")
            return Window(content, 0, size)
        for _ in rest:
            pass
        return MemorySource(look, label) if not_opened(look) else None

    def fault(self, message: str) -> FormatError:
        label = f"{self._source.label}[decompressed]"
        return FormatError(message, label, self._done, remedy=RAISE_LIMIT)


def _sum_right(header: bytes) -> bool:
    """The checksum counts its own field as spaces."""
    stated = header[148:156].strip(b" \0")
    total = sum(header) - sum(header[148:156]) + 8 * 32
    return bool(stated) and all(c in b"01234567" for c in stated) and int(stated, 8) == total


def _number(field: bytes, reader: _Reader) -> int:
    if field[0] & 0x80:  # GNU: base 256 for sizes above 8 GiB
        return int.from_bytes(field, "big") & (1 << 88) - 1
    digits = field.strip(b" \0")
    if not all(c in b"01234567" for c in digits):
        raise reader.fault(f"a size that is not an octal number: {field!r}")
    return int(digits or b"0", 8)


def _name(header: bytes) -> str:
    name, prefix = header[:100].rstrip(b"\0"), header[345:500].rstrip(b"\0")
    return _text(prefix + b"/" + name if prefix and header[257:263] == b"ustar\0" else name)


def _pax_path(body: bytes) -> str:
    """The value of `path` in records of the form `<length> <key>=<value>\\n`."""
    position = 0
    while position < len(body):
        length, _, _ = body[position : position + 20].partition(b" ")
        if not length.isdigit() or int(length) <= len(length) + 1:
            return ""
        record = body[position + len(length) + 1 : position + int(length)]
        key, _, value = record.partition(b"=")
        if key == b"path":
            return _text(value.rstrip(b"\n"))
        position += int(length)
    return ""


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
