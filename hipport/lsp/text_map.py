"""Places in a text, as the protocol, findings and byte offsets name them.

The protocol (LSP 3.17, "Position") counts lines from 0, which end at \\n, \\r\\n or \\r, and in a
line the code units of an encoding that client and server agree on. Findings count lines that end
at \\n, and characters, from 1; a BOM at the beginning of a line counts none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from lsprotocol import types

from hipport.model import Position

_LINE_ENDS = (b"\n", b"\r")
_BOM = "\ufeff".encode()
_WIDTHS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class TextMap:
    """A text as UTF-8, with its places. A lone surrogate, which UTF-8 cannot have, becomes `?`."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.data = text.encode("utf-8", "replace")
        self._codec, self._width = _WIDTHS[encoding]

    @cached_property
    def _starts(self) -> list[int]:
        """Where the lines of the protocol begin."""
        lines = self.data.splitlines(keepends=True)
        starts = [0, *accumulate(map(len, lines))]
        return starts if not lines or lines[-1].endswith(_LINE_ENDS) else starts[:-1]

    @cached_property
    def _line_feeds(self) -> list[int]:
        """Where the lines of findings begin."""
        if b"\r" not in self.data:
            return self._starts
        return [0, *(match.end() for match in re.finditer(rb"\n", self.data))]

    def _line(self, number: int) -> tuple[int, bytes]:
        """Where a line of the protocol begins, and its text without its end."""
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.data)
        return start, self.data[start:end].rstrip(b"\r\n")

    def place(self, offset: int) -> types.Position:
        """Where a byte offset is in the protocol's words; inside a line's end, at its beginning."""
        number = bisect_right(self._starts, offset) - 1
        start, line = self._line(number)
        before = line[: offset - start].decode("utf-8", "replace")
        if before.isascii():
            return types.Position(number, len(before))
        return types.Position(number, len(before.encode(self._codec)) // self._width)

    def range(self, start: int, end: int) -> types.Range:
        """The range between two byte offsets."""
        return types.Range(self.place(start), self.place(end))

    def offset_at(self, place: types.Position) -> int:
        """The byte offset of a place of the protocol; of one behind a line or the text, its end."""
        if place.line >= len(self._starts):
            return len(self.data)
        start, line = self._line(place.line)
        units = line.decode("utf-8", "replace").encode(self._codec)
        before = units[: place.character * self._width].decode(self._codec, "ignore")
        return start + len(before.encode())

    def offset_of(self, position: Position) -> int:
        """The byte offset of a finding's position; of one behind the text, its end."""
        if position.line > len(self._line_feeds):
            return len(self.data)
        start = self._line_feeds[max(position.line, 1) - 1]
        end = self._line_feeds[position.line] if position.line < len(self._line_feeds) else None
        if self.data.startswith(_BOM, start):
            start += len(_BOM)
        line = self.data[start:end].decode("utf-8", "replace")
        return start + len(line[: max(position.column, 1) - 1].encode())
