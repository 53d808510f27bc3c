"""A table with a fixed header and first column, sorting, and filtering."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.binding import BindingType
from textual.message import Message

from hipport.tui.keys import TABLES
from hipport.tui.spans import Line, Span, count
from hipport.tui.table import Table
from hipport.tui.widgets.view import Prepare, View

_GAP = 1
_ENOUGH_NAME = 36


class TableView(View):
    """Shows a Table; only visible rows become text."""

    BINDINGS: ClassVar[list[BindingType]] = [*TABLES]
    FILTERS = True

    class Entered(Message):
        """Enter was pressed on an item."""

        def __init__(self, view: TableView, item: Any) -> None:
            super().__init__()
            self.view = view
            self.item = item

    class Moved(Message):
        """The cursor has moved to another row, or the rows have changed."""

        def __init__(self, view: TableView) -> None:
            super().__init__()
            self.view = view

    def __init__(self, prepare: Prepare, id: str) -> None:
        super().__init__(prepare, id)
        self.table: Table[Any] = Table([], [], [])
        self._failure = ""
        self._width_for = (0, 0)
        self._name_width = 0
        self._header_for: object = None
        self._header: list[Line] = []
        self._sorting: tuple[str | None, bool] = (None, False)

    def present(self, content: Any) -> None:
        """Show another table; the sorting, the filter, and the row with the cursor stay."""
        current = self.current()
        self._failure = ""
        self.table = content
        titles = [column.title for column in self.table.columns]
        by, reverse = self._sorting
        if by in titles:
            self.table.sort(titles.index(by), reverse)
        elif reverse:
            self.table.sort(None, True)
        self.table.filter(self.query_text)
        row = self.table.row_of(current) if current is not None else None
        self.cursor = row if row is not None else self.cursor
        self.renew()
        self.post_message(self.Moved(self))

    def fail(self, message: str) -> None:
        self.present(Table([], [], []))
        self._failure = message

    def note(self) -> str:
        if self._failure:
            return self._failure
        total, shown = len(self.table.items), len(self.table)
        rows = count(total, "row")
        return (rows if shown == total else f"{shown} of {rows}") + (
            f" · {self.table.note}" if self.table.note else ""
        )

    def current(self) -> Any:
        """The item under the cursor."""
        return self.table.item(self.cursor) if self.cursor < len(self.table) else None

    def name_width(self) -> int:
        """The first column has the width that the others leave."""
        key = (self.size.width, id(self.table))
        if key != self._width_for:
            self._width_for, self._name_width = key, self._measure()
        return self._name_width

    def _measure(self) -> int:
        others = sum(column.width + _GAP for column in self.table.columns[1:])
        width = self.size.width
        return max(min(_ENOUGH_NAME, width // 2), width - others - 1)

    def frozen(self) -> int:
        return self.name_width() + _GAP if self.table.columns else 0

    def line_count(self) -> int:
        return len(self.table)

    def line_width(self) -> int:
        others = sum(column.width + _GAP for column in self.table.columns[1:])
        return self.name_width() + _GAP + others if self.table.columns else 0

    def header(self) -> list[Line]:
        table = self.table
        key = (self.name_width(), id(table), table.sorted_by, table.reverse)
        if key != self._header_for:
            self._header_for, self._header = key, self._headings()
        return self._header

    def _headings(self) -> list[Line]:
        spans = []
        for index, column in enumerate(self.table.columns):
            span = self._cell(Span(column.title), index)
            if index == self.table.sorted_by:
                # The arrow takes the gap behind the title, or the first space in it.
                arrow = "▼" if column.largest_first != self.table.reverse else "▲"
                title = span.text.rstrip()
                span = Span((title + arrow).ljust(cell_len(span.text)))
            spans.append(span)
        return [tuple(spans)]

    def line_at(self, index: int) -> Line:
        cells = self.table.cells(index)
        return tuple(self._cell(cell, column) for column, cell in enumerate(cells))

    def _cell(self, cell: Span, index: int) -> Span:
        column = self.table.columns[index]
        width = column.width if index else self.name_width()
        text = cell.text
        if cell_len(text) > width:
            # Names of instances differ in their template arguments, so show their ends.
            tail = 0 if index else width // 2
            text = set_cell_size(text, width - 1 - tail) + "…" + text[len(text) - tail :]
        pad = " " * (width - cell_len(text))
        text = pad + text if column.right and index else text + pad
        return Span(text + " " * _GAP, cell.kind)

    def cursor_moved(self) -> None:
        self.post_message(self.Moved(self))

    def search(self, query: str) -> None:
        """Show the rows that hold the text; the cursor stays on its row if that is one."""
        current = self.current()
        self.query_text = query
        self.table.filter(query)
        row = self.table.row_of(current) if current is not None and len(self.table) < 500 else None
        self.cursor = row or 0
        self.renew()
        self.scroll_to(y=max(0, self.cursor - 2), animate=False, immediate=True)
        self.post_message(self.Moved(self))

    def matches(self, index: int) -> bool:
        return 0 <= index < len(self.table)

    def find(self, step: int) -> bool:
        """Every remaining row has the text, so go to the next one."""
        if not self.query_text or not len(self.table):
            return False
        self.move_to((self.cursor + step) % len(self.table))
        return True

    def copy_text(self) -> str:
        return self.table.cells(self.cursor)[0].text if len(self.table) else ""

    def action_sort(self) -> None:
        self.table.sort_next()
        self._sorted()

    def action_reverse(self) -> None:
        self.table.sort(self.table.sorted_by, not self.table.reverse)
        self._sorted()

    def _sorted(self) -> None:
        by = self.table.sorted_by
        title = self.table.columns[by].title if by is not None and self.table.columns else None
        self._sorting = (title, self.table.reverse)
        self.move_to(0)
        self.renew()
        self._show_sorted_column()
        self.post_message(self.Moved(self))

    def _show_sorted_column(self) -> None:
        by = self.table.sorted_by
        if by:
            before = sum(c.width + _GAP for c in self.table.columns[1 : by + 1])
            room = max(1, self.size.width - self.frozen())
            if not before - room <= self.scroll_offset.x < before - _GAP:
                self.scroll_to(x=max(0, before - room), animate=False, immediate=True)

    def action_enter(self) -> None:
        item = self.current()
        if item is not None:
            self.post_message(self.Entered(self, item))

    def on_click(self, event: events.Click) -> None:
        """A click on a heading sorts by it, a second one reverses; a double click opens a row."""
        if event.y >= 1 or not self.table.columns:
            super().on_click(event)
            if event.chain == 2:
                self.action_enter()
            return
        position, at = 0, event.x if event.x < self.frozen() else event.x + self.scroll_offset.x
        for index, column in enumerate(self.table.columns):
            position += (column.width if index else self.name_width()) + _GAP
            if at < position:
                again = self.table.sorted_by == index
                self.table.sort(index, again and not self.table.reverse)
                self._sorted()
                return
