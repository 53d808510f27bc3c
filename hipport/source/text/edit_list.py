"""The edits of a file, kept in the order in which they were made and found by their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.model import Edit, Span
from hipport.source.text.span_set import blocks


class EditList:
    """A growing list of edits. Those at one place are made in its order."""

    def __init__(self, edits: Iterable[Edit] = ()) -> None:
        self._edits: dict[int, Edit] = {}
        self._blocks: dict[int, dict[int, None]] = {}
        self._next = 0
        self.extend(edits)

    def __iter__(self) -> Iterator[Edit]:
        return iter(self._edits.values())

    def __len__(self) -> int:
        return len(self._edits)

    def append(self, edit: Edit) -> None:
        self._edits[self._next] = edit
        for block in blocks(edit.span):
            self._blocks.setdefault(block, {})[self._next] = None
        self._next += 1

    def extend(self, edits: Iterable[Edit]) -> None:
        for each in edits:
            self.append(each)

    def near(self, span: Span) -> list[Edit]:
        """In their order, at least the edits that overlap or begin in a span."""
        return [self._edits[number] for number in self._near(span)]

    def starting_in(self, span: Span) -> list[Edit]:
        return [each for each in self.near(span) if span.start <= each.span.start < span.end]

    def take(self, span: Span) -> list[Edit]:
        """Remove and return the edits that begin in a span."""
        taken = []
        for number in self._near(span):
            edit = self._edits[number]
            if span.start <= edit.span.start < span.end:
                taken.append(self._edits.pop(number))
                for block in blocks(edit.span):
                    del self._blocks[block][number]
        return taken

    def _near(self, span: Span) -> list[int]:
        return sorted({each for block in blocks(span) for each in self._blocks.get(block, ())})
