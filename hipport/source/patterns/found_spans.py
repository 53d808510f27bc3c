"""Where a pattern finds something in a file of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hipport.model import Span
from hipport.source.layouts.changes import Changed
from hipport.source.text.quick_search import matches, search_of, symbol_span

_MOST_OF_LINE = 30


def spans_of(
    pattern: str, code: str, may_have: Callable[[str, bool], bool] | None, usual: Changed | None
) -> Iterator[Span]:
    """Where a pattern finds something; in a line that was several, behind what it found first too.

    A pattern that begins with its line finds one thing in each.
    """
    seen: set[int] = set()
    for match in matches(pattern, code, may_have=may_have):
        span = symbol_span(match)
        yield span
        start = code.rfind("\n", 0, span.start) + 1
        if usual and start not in seen:
            seen.add(start)
            end = code.find("\n", span.start)
            line = Span(start, end if end >= 0 else len(code))
            if usual.is_joined(line):
                yield from _further(pattern, code, span, line)


def _further(pattern: str, code: str, first: Span, line: Span) -> Iterator[Span]:
    """What a pattern finds in a line when what it found before is another word."""
    text, last = code[slice(*line)], first
    for _ in range(_MOST_OF_LINE):
        start, end = last.start - line.start, min(last.end, line.end) - line.start
        text = f"{text[:start]}{'_' * (end - start)}{text[end:]}"
        match = search_of(pattern).expression.search(text)
        if match is None:
            return
        span = symbol_span(match)
        last = Span(line.start + span.start, line.start + span.end)
        yield last
