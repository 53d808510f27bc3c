"""Spans of a file, to ask again and again whether one of them overlaps another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.model import Span

_BLOCK = 12


def blocks(span: Span) -> range:
    """The blocks of 4,096 bytes that a span touches: filed by them, few are looked at."""
    return range(span.start >> _BLOCK, (span.end >> _BLOCK) + 1)


class SpanSet:
    """A growing set of spans."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._spans: dict[Span, None] = {}
        self._blocks: dict[int, list[Span]] = {}
        self.add(spans)

    def add(self, spans: Iterable[Span]) -> None:
        for span in spans:
            if span in self._spans:
                continue
            self._spans[span] = None
            for block in blocks(span):
                self._blocks.setdefault(block, []).append(span)

    def __iter__(self) -> Iterator[Span]:
        return iter(self._spans)

    def overlap(self, span: Span) -> bool:
        """Whether a span has a character in common with one of these."""
        for block in blocks(span):
            for each in self._blocks.get(block, ()):
                if each.start < span.end and span.start < each.end:
                    return True
        return False
