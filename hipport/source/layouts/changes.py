"""A text with changes made, which knows where in the text before each of its places was."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import takewhile
from operator import itemgetter

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
        self,
        data: bytes,
        changes: Iterable[Change],
        *,
        joins_words: bool = False,
        are_names: bool = False,
        of: Changed | None = None,
    ) -> None:
        """The changes are in order; of those that overlap, the first one is made.

        `joins_words` says that lines of a command are joined, each of which may have words to find,
        and `are_names` that other names for things are changed; `of` is what made the text itself.
        """
        self._joins_words = joins_words
        self._of = of
        self._names: list[tuple[Span, str]] = []
        """Names of the changed text, and what is there in the text before."""
        self._text = data
        text, done, length = data.decode("latin-1"), 0, 0
        pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._kept: list[bool] = []
        self._ends: list[int] = []
        for start, end, new in changes:
            if start < done or text[start:end] == new:
                continue
            if are_names:
                place = length + start - done
                self._names.append((Span(place, place + len(new)), text[start:end]))
            # What replaces as many characters has each at the place of one.
            for piece, origin, behind, is_kept in (
                (text[done:start], done, start, True),
                (new, start, end, len(new) == end - start),
            ):
                if piece:
                    self._ends.append(behind)
                    pieces.append(piece)
                    self._starts.append(length)
                    self._origins.append(origin)
                    self._kept.append(is_kept)
                    length += len(piece)
            done = end
        self._starts.append(length)
        self._origins.append(done)
        self._kept.append(True)
        self._ends.append(len(text))
        self.data = "".join([*pieces, text[done:]]).encode("latin-1")

    @cached_property
    def _before(self) -> Code:
        return self._of._before if self._of else Code.of_lines(self._text, "")

    @cached_property
    def _after(self) -> Code:
        return Code.of_lines(self.data, "")

    def origin(self, offset: int) -> int:
        """Where an offset of the changed text was."""
        before = self._own_origin(offset)
        return self._of.origin(before) if self._of else before

    def _own_origin(self, offset: int) -> int:
        piece = bisect_right(self._starts, offset) - 1
        moved = offset - self._starts[piece] if self._kept[piece] else 0
        return self._origins[piece] + moved

    def end(self, offset: int) -> int:
        """Where what ends at an offset of the changed text ended."""
        piece = bisect_right(self._starts, offset - 1) - 1
        before = self._own_origin(offset - 1) + 1 if self._kept[piece] else self._ends[piece]
        return self._of.end(before) if self._of else before

    def _new_offset(self, offset: int) -> int:
        """Where in the changed text is what was at an offset."""
        return self._own_offset(self._of._new_offset(offset) if self._of else offset)

    def _own_offset(self, offset: int) -> int:
        piece = max(bisect_right(self._origins, offset) - 1, 0)
        moved = offset - self._origins[piece] if self._kept[piece] else 0
        end = self._starts[piece + 1] if piece + 1 < len(self._starts) else len(self.data)
        return min(self._starts[piece] + moved, max(end - 1, 0))

    def as_named(self, span: Span) -> str:
        """The text of a span, with the names that the file itself has there."""
        text, done = "", span.start
        for place, written in self._names_in(span):
            text += self.data[done : place.start].decode("latin-1") + written
            done = place.end
        return text + self.data[done : span.end].decode("latin-1")

    def _names_in(self, span: Span) -> list[tuple[Span, str]]:
        if self._of is None:
            first = max(bisect_right(self._names, (span.start,), key=itemgetter(0)) - 1, 0)
            near = takewhile(lambda each: each[0].start < span.end, self._names[first:])
            return [each for each in near if each[0].end > span.start]
        before = Span(self._own_origin(span.start), self._own_origin(span.end - 1) + 1)
        found: list[tuple[Span, str]] = []
        for place, written in self._of._names_in(before):
            start = self._own_offset(place.start)
            found.append((Span(start, start + place.end - place.start), written))
        return found

    def line(self, offset: int) -> int:
        """The line in which an offset of the changed text was."""
        return self._before.position(self.origin(offset)).line

    def new_line(self, position: Position) -> int:
        """The line of the changed text that has what was at a position."""
        if not position.line:
            return 0
        return self._after.position(self._new_offset(self._before.offset(position))).line

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
        stop = max(origin, self.end(last)) if last > first else origin
        position = self._before.position
        return replace(finding, start=position(origin), end=position(stop))
