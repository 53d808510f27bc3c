"""zip files and wheels (PKWARE APPNOTE 6.3), read from the central directory.

A stored member is a window on the file; a deflated one is decompressed into memory when its
first bytes look like something that may hold device code. A member too large for memory is read
through `Inflated`, which keeps points to start from. Each is checked against its CRC.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.first_bytes import may_hold_device_code
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.packages.compressed_member import LOOK, check_crc, load

NAME = "zip"
_END = struct.Struct("<4sHHHHIIH")
_END64 = struct.Struct("<4sQHHIIQQQQ")
_ENTRY = struct.Struct("<4sHHHHHHIIIHHHHHII")
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_MAX_DIRECTORY = 64 << 20
_METHODS = {8: "deflate", 12: "bz2", 14: "", 93: "zstd", 95: "xz"}
_ENCRYPTED = 1


def members(source: Source, limits: Limits) -> Iterator[tuple[str, Source | FormatError]]:
    """The members that may hold device code, in the order of the directory."""
    try:
        directory, entries = _directory(source)
    except FormatError as error:
        yield "", error
        return
    position = 0
    for _ in range(entries):
        if position + _ENTRY.size > directory.size:
            yield "", directory.fault(directory.size, "the directory is cut off")
            return
        fields = _ENTRY.unpack(directory.read(position, _ENTRY.size))
        magic, flags, method, crc, packed, size = (*fields[:1], *fields[3:5], *fields[7:10])
        name_length, extra_length, comment_length, at = (*fields[10:13], fields[16])
        if magic != b"PK\x01\x02":
            yield "", directory.fault(position, "a damaged directory entry")
            return
        raw = directory.head(position + _ENTRY.size, name_length)
        extra = directory.head(position + _ENTRY.size + name_length, extra_length)
        position += _ENTRY.size + name_length + extra_length + comment_length
        name = raw.decode("utf-8", "backslashreplace")
        if name.endswith("/"):
            continue
        size, packed, at = _zip64(extra, size, packed, at)
        try:
            member = _member(source, name, flags, method, crc, packed, size, at, limits)
        except FormatError as error:
            yield name, error
            continue
        if member is not None:
            yield name, member


def _directory(source: Source) -> tuple[Source, int]:
    """The central directory and the number of its entries."""
    tail_at = max(0, source.size - 65536 - _END.size)
    tail = source.head(tail_at, source.size)
    found = tail.rfind(b"PK\x05\x06")
    if found < 0 or found + _END.size > len(tail):
        raise source.fault(tail_at, "a zip file without its directory's end record")
    _, _, _, _, entries, size, at, _ = _END.unpack_from(tail, found)
    end = tail_at + found
    if 0xFFFFFFFF in (size, at) or entries == 0xFFFF:
        locator = source.head(end - 20, 20) if end >= 20 else b""
        if locator[:4] == b"PK\x06\x07":
            record = source.read(int.from_bytes(locator[8:16], "little"), _END64.size)
            if record[:4] == b"PK\x06\x06":
                entries, size, at = _END64.unpack(record)[7:]
    if size > _MAX_DIRECTORY:
        raise source.fault(end, f"a directory of {size} bytes; the limit is {_MAX_DIRECTORY}")
    return Window(source, at, size), entries


def _zip64(extra: bytes, size: int, packed: int, at: int) -> tuple[int, int, int]:
    """The sizes and the offset, from extra field 1 where the directory has no room for them."""
    position = 0
    values: list[int] = []
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, position)
        if kind == 1:
            body = extra[position + 4 : position + 4 + length]
            values = [v for (v,) in struct.iter_unpack("<Q", body[: len(body) // 8 * 8])]
        position += 4 + length
    numbers = [size, packed, at]
    for index, number in enumerate(numbers):
        if number == 0xFFFFFFFF and values:
            numbers[index] = values.pop(0)
    return numbers[0], numbers[1], numbers[2]


def _member(
    source: Source,
    name: str,
    flags: int,
    method: int,
    crc: int,
    packed: int,
    size: int,
    at: int,
    limits: Limits,
) -> Source | None:
    local = _LOCAL.unpack(source.read(at, _LOCAL.size))
    if local[0] != b"PK\x03\x04":
        raise source.fault(at, f"member {name!r} has no local header")
    start = at + _LOCAL.size + local[9] + local[10]
    data = Window(source, start, packed)
    if flags & _ENCRYPTED:
        raise source.fault(at, f"member {name!r} is encrypted")
    if method == 0:
        if size != packed:
            raise source.fault(at, f"member {name!r} is stored with two sizes: {packed}, {size}")
        if may_hold_device_code(data.head(0, LOOK)):
            check_crc(data, crc)
        return data
    if not _METHODS.get(method):
        raise source.fault(at, f"member {name!r}: unknown compression method {method}")
    return load(data, _METHODS[method], size, crc, f"{source.label}!{name}", limits)
