"""Headers of tar files written by hand, read in place and from a compressed stream."""

from __future__ import annotations

import gzip

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.packages.tar import members

ELF = b"\x7fELF" + bytes(96)


def header(
    name: bytes = b"a",
    size: bytes = b"00000000144",
    kind: bytes = b"0",
    prefix: bytes = b"",
    magic: bytes = b"ustar\x0000",
    change: int = 0,
) -> bytes:
    """POSIX.1-2001, "ustar Interchange Format"; its checksum is this much off."""
    fields = name.ljust(100, b"\0") + bytes(24) + size.ljust(12, b"\0") + bytes(12) + b" " * 8
    fields += kind + bytes(100) + magic + bytes(80) + prefix.ljust(155, b"\0")
    block = fields.ljust(512, b"\0")
    return block[:148] + b"%06o\0 " % (sum(block) + change) + block[156:]


def padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // 512) * 512, b"\0")


def octal(size: int) -> bytes:
    return b"%011o" % size


def extended(kind: bytes, body: bytes) -> bytes:
    return header(b"x", octal(len(body)), kind) + padded(body)


MEMBER, END = padded(ELF), bytes(1024)
PAX = b"20 mtime=1234567890\n12 path=b/c\n9 uid=1\n"
FILES = {
    "one": (header() + MEMBER, ["a 100"]),
    "two": (header() + MEMBER + header(b"b", octal(4)) + padded(ELF[:4]), ["a 100", "b 4"]),
    "a prefix": (header(prefix=b"lib") + MEMBER, ["lib/a 100"]),
    "of GNU tar, which has no prefix": (
        header(prefix=b"0123", magic=b"ustar  \0") + MEMBER,
        ["a 100"],
    ),
    "an old kind of file": (header(kind=b"\0") + MEMBER, ["a 100"]),
    "a contiguous file": (header(kind=b"7") + MEMBER, ["a 100"]),
    "a link, a folder": (
        header(kind=b"1", size=octal(0)) + header(kind=b"5", size=octal(0)) + header() + MEMBER,
        ["a 100"],
    ),
    "a long name": (extended(b"L", b"n" * 600 + b"\0") + header() + MEMBER, [f"{'n' * 600} 100"]),
    "a long target of a link": (extended(b"K", b"target\0") + header() + MEMBER, ["a 100"]),
    "pax": (extended(b"x", PAX) + header() + MEMBER, ["b/c 100"]),
    "pax for all": (extended(b"g", PAX) + header() + MEMBER, ["a 100"]),
    "pax of one member": (
        extended(b"x", PAX) + (header() + MEMBER) * 2,
        ["b/c 100", "a 100"],
    ),
    "pax without a path": (extended(b"x", b"9 uid=1\n") + header() + MEMBER, ["a 100"]),
    "pax, damaged": (extended(b"x", b"x path=b\n12 path=b/c\n") + header() + MEMBER, ["a 100"]),
    "pax, of no size": (extended(b"x", b"1 path=b\n") + header() + MEMBER, ["a 100"]),
    "a name that is no text": (header(b"\xff\0\0") + MEMBER, ["\\xff 100"]),
    "a size with spaces": (header(size=b"       144 \0") + MEMBER, ["a 100"]),
    "a number of 63 bits": (header(size=b"\x80" + (100).to_bytes(11, "big")) + MEMBER, ["a 100"]),
    "no size": (header(size=b"") + header(b"b") + MEMBER, ["a 0", "b 100"]),
    "something else": (b"something else".ljust(512), ["0x200: no tar file inside"]),
    "another sum": (header(change=1) + MEMBER, ["0x200: no tar file inside"]),
    "another sum, later": (
        header() + MEMBER + header(change=-1),
        ["a 100", "0x600: a damaged tar header"],
    ),
    "a size of other digits": (
        header(size=b"00000000189") + MEMBER,
        ["0x200: a size that is not an octal number: b'00000000189\\x00'"],
    ),
    "a long name without end": (
        header(kind=b"L", size=octal((1 << 16) + 1)),
        ["0x200: an extended header of 65537 bytes"],
    ),
    "five": ((header() + MEMBER) * 5, ["a 100"] * 4 + ["0x1000: more than 3 members"]),
}


def read(data: bytes, limits: Limits) -> list[str]:
    found = []
    for name, member in members(MemorySource(data, "t"), limits):
        if isinstance(member, FormatError):
            found.append(str(member).partition(": offset ")[2].partition(" (")[0])
        else:
            content = member.read(0, member.size)
            assert content == ELF[: member.size]
            found.append(f"{name} {member.size}")
    return found


@pytest.mark.parametrize("name", FILES)
def test_what_is_in_a_file(name: str) -> None:
    data, wanted = FILES[name]
    limits = Limits(max_members=3)
    assert read(data + END, limits) == wanted
    # What holds no device code is left out of a stream: it cannot be read later.
    kept = [each for each in wanted if not each.endswith(" 0")]
    assert read(gzip.compress(data + END), limits) == kept
