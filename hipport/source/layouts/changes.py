"""A text with changes made, which knows where in the text before each of its places was."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property

from msgspec.structs import replace

from hipport.model import Finding, Position, Span
from hipport.named_tuples import NamedTuple
from hipport.source.text.source_text import Code


class Change(NamedTuple):
    """What stands at a span of a text instead."""

    start: int
    end: int
    new: str


class Changed:
    """A text with changes made. Text is decoded as latin-1: an index is an offset."""

    def __init__(
        self, data: bytes, changes: Iterable[Change], *, joins_words: bool = False
    ) -> None:
        """The changes are in order; of those that overlap, the first one is made.

        `joins_words` says that lines of a command are joined, each of which may have words to find.
        """
        self._joins_words = joins_words
        self._text = data
        text, done, length = data.decode("latin-1"), 0, 0
        pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._kept: list[bool] = []
        for start, end, new in changes:
            if start < done or text[start:end] == new:
                continue
            # What replaces as many characters has each at the place of one.
            for piece, origin, is_kept in (
                (text[done:start], done, True),
                (new, start, len(new) == end - start),
            ):
                if piece:
                    pieces.append(piece)
                    self._starts.append(length)
                    self._origins.append(origin)
                    self._kept.append(is_kept)
                    length += len(piece)
            done = end
        self._starts.append(length)
        self._origins.append(done)
        self._kept.append(True)
        self.data = "".join([*pieces, text[done:]]).encode("latin-1")

    @cached_property
    def _before(self) -> Code:
        return Code.of_lines(self._text, "")

    @cached_property
    def _after(self) -> Code:
        return Code.of_lines(self.data, "")

    def origin(self, offset: int) -> int:
        """Where an offset of the changed text was."""
        piece = bisect_right(self._starts, offset) - 1
        moved = offset - self._starts[piece] if self._kept[piece] else 0
        return self._origins[piece] + moved

    def line(self, offset: int) -> int:
        """The line in which an offset of the changed text was."""
        return self._before.position(self.origin(offset)).line

    def new_line(self, position: Position) -> int:
        """The line of the changed text that has what was at a position."""
        if not position.line:
            return 0
        offset = self._before.offset(position)
        piece = max(bisect_right(self._origins, offset) - 1, 0)
        moved = offset - self._origins[piece] if self._kept[piece] else 0
        end = self._starts[piece + 1] if piece + 1 < len(self._starts) else len(self.data)
        return self._after.position(min(self._starts[piece] + moved, max(end - 1, 0))).line

    def old_line(self, line: int) -> int:
        """The line in which the start of a line of the changed text was."""
        return self.line(self._after.offset(Position(line, 1)))

    def is_joined(self, line: Span) -> bool:
        """Whether a line of the changed text is a command that was in several lines."""
        return self._joins_words and self.line(line.start) < self.line(
            max(line.start, line.end - 1)
        )

    def moved(self, found: Iterable[Finding]) -> list[Finding]:
        """Findings in the changed text, where they were before."""
        return [self._moved(each) for each in found]

    def _moved(self, finding: Finding) -> Finding:
        first, last = (self._after.offset(each) for each in (finding.start, finding.end))
        origin = self.origin(first)
        stop = max(origin, self.origin(last - 1) + 1) if last > first else origin
        position = self._before.position
        return replace(finding, start=position(origin), end=position(stop))
