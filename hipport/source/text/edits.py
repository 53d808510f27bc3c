"""Applies edits to bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.model import Edit, Span


def apply(data: bytes, edits: Iterable[Edit], within: Span | None = None) -> bytes:
    """The bytes with the edits made; nothing outside their spans changes.

    Edits at one place are made in the order given, insertions before replacements. Overlapping
    edits are a fault of the caller and raise ValueError. With `within`, only that part is returned.
    """
    span = within or Span(0, len(data))
    pieces: list[bytes] = []
    done = span.start
    for edit in sorted(edits, key=lambda each: each.span):
        if edit.span.start < done:
            raise ValueError(f"overlapping edits at byte {edit.span.start}")
        pieces += data[done : edit.span.start], edit.new
        done = edit.span.end
    pieces.append(data[done : span.end])
    return b"".join(pieces)


def joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans in order, those that overlap or meet made one."""
    last: Span | None = None
    for span in spans:
        if last and span.start <= last.end:
            last = Span(min(last.start, span.start), max(last.end, span.end))
            continue
        if last:
            yield last
        last = span
    if last:
        yield last
