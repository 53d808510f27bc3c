"""Source text inside string literals, and where in the file each character of it is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate

import msgspec

from hipport.model import Edit, Position, Span
from hipport.source.text.source_text import Code


class Piece(msgspec.Struct, frozen=True):
    """A part of a text: `places` are where its characters, and its end, are in the file.

    `written` gives a text as it is spelled in that literal, None where it cannot be.
    """

    text: str
    places: Sequence[int]
    written: Callable[[str], str | None]


def surrounding(text: str, place: int) -> Piece:
    """Text that is in no literal: what comes before, between or after literals."""
    return Piece(text, [place] * (len(text) + 1), lambda _: None)


class EmbeddedCode(Code):
    """The text of some pieces as a file of its own, whose positions are those outside."""

    def __init__(self, outer: Code, pieces: Sequence[Piece]) -> None:
        self.outer = outer
        self.pieces = pieces
        self._starts = [0, *accumulate(len(piece.text) for piece in pieces)][:-1]
        super().__init__("".join(piece.text for piece in pieces).encode("latin-1"))

    def position(self, offset: int) -> Position:
        piece, start = self._piece_at(offset)
        return self.outer.position(piece.places[min(offset - start, len(piece.text))])

    def line_of(self, position: Position) -> int:
        """The offset at which the line of a position begins, which is one in the file outside."""
        index = bisect_right(self._outer_lines, (position, len(self.text))) - 1
        return self._outer_lines[max(0, index)][1]

    @cached_property
    def _outer_lines(self) -> list[tuple[Position, int]]:
        """Where the lines of the text begin: outside, and in it."""
        return sorted((self.position(start), start) for start in self._lines)

    def _piece_at(self, offset: int) -> tuple[Piece, int]:
        number = max(0, bisect_right(self._starts, offset) - 1)
        return self.pieces[number], self._starts[number]

    def outside(self, edit: Edit) -> Edit | None:
        """The edit of the literal that makes this edit of its text; None if none can."""
        piece, first = self._piece_at(edit.span.start)
        start, end = edit.span.start - first, edit.span.end - first
        if end > len(piece.text):
            return None
        new = piece.written(edit.new.decode("latin-1"))
        if new is None:
            return None
        place = piece.places[start]
        until = piece.places[end] if end > start else place
        return Edit(Span(place, until), new.encode("latin-1"), edit.rule)
