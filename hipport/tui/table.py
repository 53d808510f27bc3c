"""A table as data: columns, an order, and a filter; cells are made only for visible rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from hipport.tui.spans import Span

T = TypeVar("T")


class Column(NamedTuple, Generic[T]):
    """One column. The first column of a table takes the width that the others leave."""

    title: str
    width: int
    cell: Callable[[T], Span]
    key: Callable[[T], Any]
    """The sort key."""
    right: bool = True
    largest_first: bool = True


class Table(Generic[T]):
    """Items in columns. `visible` holds the indexes of what the filter lets through, in order."""

    def __init__(
        self, columns: Sequence[Column[T]], items: Sequence[T], texts: Sequence[str], note: str = ""
    ) -> None:
        self.columns = columns
        self.items = items
        self._texts = texts
        """For each item, the text that a filter searches, in lower case."""
        self.note = note
        """A remark on the table as a whole."""
        self.sorted_by: int | None = None
        self.reverse = False
        self.query = ""
        self._order: Sequence[int] = range(len(items))
        self.visible: Sequence[int] = self._order

    def __len__(self) -> int:
        return len(self.visible)

    def item(self, row: int) -> T:
        """The contents of that visible row."""
        return self.items[self.visible[row]]

    def cells(self, row: int) -> list[Span]:
        item = self.item(row)
        return [column.cell(item) for column in self.columns]

    def filter(self, query: str) -> None:
        """Show the items that hold every word of the query; case does not matter."""
        before, self.query = self.query, query.lower()
        words = self.query.split()
        narrowed = bool(before) and self.query.startswith(before)
        candidates = self.visible if narrowed else self._order
        texts = self._texts
        for word in words:
            candidates = [index for index in candidates if word in texts[index]]
        self.visible = candidates

    def sort(self, column: int | None, reverse: bool = False) -> None:
        """Sort by a column, numbers from the largest down; None is the order of the file."""
        self.sorted_by, self.reverse = column, reverse
        if column is None:
            order: Sequence[int] = range(len(self.items))
            self._order = order[::-1] if reverse else order
        else:
            chosen, items = self.columns[column], self.items
            self._order = sorted(
                range(len(items)),
                key=lambda index: chosen.key(items[index]),
                reverse=chosen.largest_first != reverse,
            )
        query, self.query = self.query, ""
        self.filter(query)

    def sort_next(self) -> None:
        """Sort by the next column; after the last one, by the order of the file."""
        following = 0 if self.sorted_by is None else self.sorted_by + 1
        self.sort(following if following < len(self.columns) else None)

    def row_of(self, item: T) -> int | None:
        """The visible row of an item."""
        for row, index in enumerate(self.visible):
            if self.items[index] is item or self.items[index] == item:
                return row
        return None
