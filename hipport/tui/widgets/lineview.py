"""A scrolling list of lines with a cursor. Lines are made when they become visible."""

from __future__ import annotations

import re
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hipport.tui.keys import LINES
from hipport.tui.spans import KINDS, Line, Span, plain


class LineView(ScrollView, can_focus=True):
    """Subclasses provide the number of lines and the content of each."""

    BINDINGS: ClassVar[list[BindingType]] = [*LINES]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"line--{kind}" for kind in KINDS),
        "line--header",
        "line--cursor",
        "line--cursor-blurred",
    }
    HELP = ""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self.query_text = ""
        self._styles: dict[str, Style] = {}

    # For subclasses to provide

    def line_count(self) -> int:
        return 0

    def line_at(self, index: int) -> Line:
        raise NotImplementedError

    def line_width(self) -> int:
        """The width of the widest line, in cells."""
        return 0

    def header(self) -> list[Line]:
        """The number of lines that stay at the top."""
        return []

    def frozen(self) -> int:
        """The number of cells on the left that do not scroll."""
        return 0

    # Drawing

    def renew(self) -> None:
        """Redraw everything after the content has changed."""
        self.cursor = max(0, min(self.cursor, self.line_count() - 1))
        self.virtual_size = Size(self.line_width(), self.line_count() + len(self.header()))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        header, width = self.header(), self.size.width
        base = self.rich_style
        if y < len(header):
            return self._strip(header[y], base + self._style("header"), width)
        index = y - len(header) + self.scroll_offset.y
        if index >= self.line_count():
            return Strip.blank(width, base)
        if index == self.cursor and self.has_focus:
            base += self._style("cursor")
            return self._strip(self._lit(self.line_at(index)), base, width, coloured=False)
        if index == self.cursor:
            base += self._style("cursor-blurred")
        return self._strip(self._lit(self.line_at(index)), base, width)

    def _style(self, role: str) -> Style:
        style = self._styles.get(role)
        if style is None:
            style = self.get_component_rich_style(f"line--{role}", partial=True)
            self._styles[role] = style
        return style

    def notify_style_update(self) -> None:
        self._styles.clear()
        super().notify_style_update()

    def _lit(self, spans: Line) -> Line:
        """The line with the search matches as separate spans."""
        words = self.searched()
        if not words:
            return spans
        pattern = re.compile("(" + "|".join(map(re.escape, words)) + ")", re.I)
        return tuple(
            Span(piece, "match" if index % 2 else span.kind)
            for span in spans
            for index, piece in enumerate(pattern.split(span.text))
            if piece
        )

    def _strip(self, spans: Line, base: Style, width: int, coloured: bool = True) -> Strip:
        """The visible part of the line. Colours are unreadable on the cursor's background."""
        segments = []
        for span in spans:
            style = self._style(span.kind) if span.kind else Style.null()
            segments.append(Segment(span.text, base + (style if coloured else style.without_color)))
        strip = Strip(segments)
        left, frozen = self.scroll_offset.x, self.frozen()
        if not frozen:
            return strip.crop_extend(left, left + width, base)
        rest = strip.crop_extend(frozen + left, left + width, base)
        return Strip.join([strip.crop_extend(0, frozen, base), rest])

    # Moving

    def move_to(self, index: int) -> None:
        """Put the cursor on a line and scroll to it."""
        before, self.cursor = self.cursor, max(0, min(index, self.line_count() - 1))
        height = max(1, self.size.height - len(self.header()))
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, immediate=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, immediate=True)
        self.refresh()
        if before != self.cursor:
            self.cursor_moved()

    def cursor_moved(self) -> None:
        """Called when the cursor has moved to another line."""

    def page(self) -> int:
        return max(1, self.size.height - len(self.header()) - 1)

    def action_move(self, lines: int) -> None:
        self.move_to(self.cursor + lines)

    def action_page(self, pages: float) -> None:
        self.move_to(self.cursor + int(self.page() * pages))

    def action_first(self) -> None:
        self.move_to(0)

    def action_last(self) -> None:
        self.move_to(self.line_count() - 1)

    def action_sideways(self, columns: int) -> None:
        self.scroll_to(x=self.scroll_offset.x + columns, animate=False, immediate=True)

    def on_click(self, event: events.Click) -> None:
        row = event.y - len(self.header())
        if row >= 0 and row + self.scroll_offset.y < self.line_count():
            self.move_to(row + self.scroll_offset.y)

    # Searching

    def searched(self) -> list[str]:
        """The words to highlight."""
        return self.query_text.lower().split()

    def search(self, query: str) -> None:
        """Highlight the matches and go to the first line with one, from the cursor on."""
        self.query_text = query
        if query and not self.matches(self.cursor):
            self.find(1)
        self.refresh()

    def matches(self, index: int) -> bool:
        if not 0 <= index < self.line_count():
            return False
        text = plain(self.line_at(index)).lower()
        return all(word in text for word in self.searched())

    def find(self, step: int) -> bool:
        """Go to the next (or, with -1, previous) line with the text searched; wraps at the end."""
        count = self.line_count()
        if not self.query_text or not count:
            return False
        for distance in range(1, count + 1):
            index = (self.cursor + step * distance) % count
            if self.matches(index):
                self.move_to(index)
                return True
        return False

    def copy_text(self) -> str:
        """What `y` copies."""
        return plain(self.line_at(self.cursor)).strip() if self.line_count() else ""

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_resize(self) -> None:
        self.renew()
        self.move_to(self.cursor)
