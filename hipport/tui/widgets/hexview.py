"""The Hex tab: bytes with a cursor; the field under it is named and highlighted."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from hipport.fatbin.byte_source import PIECE, MemorySource
from hipport.fatbin.format_error import FormatError
from hipport.tui.content import hexfields
from hipport.tui.content.hexfields import Bytes, Known, field_at, value_of
from hipport.tui.keys import HEX
from hipport.tui.spans import Line, Span, line
from hipport.tui.widgets.view import View

_WIDE = 16
_BEFORE = 3
_MOST_SEARCHED = 256 << 20


class HexView(View):
    TITLE = "Hex"
    BINDINGS: ClassVar[list[BindingType]] = [*HEX]
    HELP = """\
The bytes of the selected file, bundle, or code object. The field or section under the cursor is
highlighted, and named below with its value. f and F go from field to field, arrows and hjkl from
byte to byte. `/` finds text, or bytes written as pairs of hexadecimal digits: 7f 45 4c 46."""

    class NoteChanged(Message):
        """The cursor has moved to another byte."""

    def __init__(self) -> None:
        super().__init__(hexfields.prepare, "hex")
        self.bytes = Bytes(MemorySource(b"", ""), [], [])
        self.byte = 0
        """Where the cursor is."""
        self._failure = ""
        self._named: Known | None = None
        self._origin = 0
        self.start_at: int | None = None
        """Where to put the cursor in the next content."""

    def present(self, content: Any) -> None:
        self.bytes, self._failure = content, ""
        self.renew()
        start = content.start if self.start_at is None else self.start_at
        self.start_at = None
        self.go_to(start)
        self.call_after_refresh(self.jump_to, start)  # a new size scrolls it later

    def fail(self, message: str) -> None:
        self.present(Bytes(MemorySource(b"", ""), [], []))
        self._failure = message

    def per_line(self) -> int:
        return _WIDE if self.size.width >= 10 + 4 * _WIDE + 2 else _WIDE // 2

    def line_count(self) -> int:
        return -(-self.bytes.source.size // self.per_line())

    def line_width(self) -> int:
        return 10 + 4 * self.per_line() + 2

    def line_at(self, index: int) -> Line:
        count = self.per_line()
        start = index * count
        try:
            data = self.bytes.source.head(start, count)
        except FormatError as error:
            return line((f"{start:08x}  cannot be read: {error.problem}", "bad"))
        kinds = [self._kind(start + i, byte) for i, byte in enumerate(data)]
        spans = [Span(f"{start:08x}  ", "label")]
        spans += [Span(f"{byte:02x} ", kind) for byte, kind in zip(data, kinds, strict=True)]
        spans.append(Span("   " * (count - len(data)) + " "))
        for byte, kind in zip(data, kinds, strict=True):
            spans.append(Span(chr(byte) if 32 <= byte < 127 else "·", kind))
        return tuple(spans)

    def _kind(self, offset: int, byte: int) -> str:
        if offset == self.byte:
            return "match"
        lit = self._named
        if lit is not None and lit.offset <= offset < lit.offset + lit.size:
            return "lit"
        return "" if byte else "dim"

    def go_to(self, byte: int) -> None:
        """Put the cursor on a byte."""
        self.byte = max(0, min(byte, self.bytes.source.size - 1))
        self._named = field_at(self.bytes, self.byte)
        self.move_to(self.byte // self.per_line())
        self.refresh()
        self.post_message(self.NoteChanged())

    def jump_to(self, byte: int) -> None:
        """Put the cursor on a byte, with some lines before it in view."""
        self.go_to(byte)
        self.scroll_to(y=max(0, self.cursor - _BEFORE), animate=False, immediate=True)

    def note(self) -> str:
        """The field under the cursor and its value, and the number that starts there."""
        if self._failure:
            return self._failure
        try:
            four = int.from_bytes(self.bytes.source.head(self.byte, 4), "little")
            value = value_of(self.bytes.source, self._named) if self._named is not None else ""
        except FormatError as error:
            return str(error)
        named = f"{self._named.name} = {value}" if self._named is not None else "no known field"
        return f"{self.byte:#x} · {named} · as u32: {four} ({four:#x})"

    def action_step(self, bytes_: int) -> None:
        self.go_to(self.byte + bytes_)

    def action_move(self, lines: int) -> None:
        self.go_to(self.byte + lines * self.per_line())

    def action_page(self, pages: float) -> None:
        self.go_to(self.byte + int(self.page() * pages) * self.per_line())

    def action_first(self) -> None:
        self.go_to(0)

    def action_last(self) -> None:
        self.go_to(self.bytes.source.size - 1)

    def action_field(self, step: int) -> None:
        """Go to the start of the next field or region, or of the one before."""
        starts = sorted({known.offset for known in (*self.bytes.fields, *self.bytes.regions)})
        if step > 0:
            following = [start for start in starts if start > self.byte]
            self.go_to(following[0] if following else self.byte)
        else:
            before = [start for start in starts if start < self.byte]
            self.go_to(before[-1] if before else self.byte)

    def on_click(self, event: events.Click) -> None:
        column, count = (event.x + self.scroll_offset.x - 10) // 3, self.per_line()
        if 0 <= column < count:
            self.go_to((event.y + self.scroll_offset.y) * count + column)

    def on_resize(self) -> None:
        self.renew()
        self.go_to(self.byte)

    def searched(self) -> list[str]:
        return []

    def search(self, query: str) -> None:
        if not self.query_text:
            self._origin = self.byte
        self.query_text = query
        self._find_from(self._origin, 1)

    def find(self, step: int) -> bool:
        """Go to the next (or previous) place of the bytes searched, up to 256 MiB away."""
        return self._find_from(self.byte + step, step)

    def _find_from(self, at: int, step: int) -> bool:
        wanted = _wanted(self.query_text)
        if not wanted:
            return False
        source, end = self.bytes.source, self.bytes.source.size
        for _ in range(_MOST_SEARCHED // PIECE):
            if not 0 <= at < end:
                return False
            start = at if step > 0 else max(0, at - PIECE + 1)
            try:
                data = source.head(start, PIECE + len(wanted))
            except FormatError:
                return False
            if step > 0:
                found = data.find(wanted)
            else:
                found = data.rfind(wanted, 0, at - start + len(wanted))
            if found >= 0:
                self.go_to(start + found)
                return True
            at = start + PIECE if step > 0 else start - 1
        return False


def _wanted(query: str) -> bytes:
    """The bytes to search for: pairs of hexadecimal digits, else the text."""
    try:
        return bytes.fromhex(query) if len(query) >= 4 else query.encode()
    except ValueError:
        return query.encode("utf-8", "surrogateescape")
