"""Lines too long to have been written by hand, what lines end with, and what a file begins with."""

from __future__ import annotations

from codecs import BOM_UTF8


def long_line(data: bytes, limit: int) -> int:
    """The length of the first line above the limit; 0 if there is none."""
    start = 0
    while len(data) - start > limit:
        end = data.rfind(b"\n", start, start + limit + 1)
        if end < 0:
            following = data.find(b"\n", start)
            return (following if following >= 0 else len(data)) - start
        start = end + 1
    return 0


def without_mark(data: bytes) -> bytes:
    """The text with blanks in place of a byte order mark."""
    return b"   " + data[3:] if data.startswith(BOM_UTF8) else data


def plain_ends(data: bytes) -> bytes:
    """The text with line ends of Unix, which expressions expect: lines and columns stay."""
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data
