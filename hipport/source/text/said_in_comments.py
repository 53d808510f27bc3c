"""The lines that comments are about: what people say of a number stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hipport.model import Span
from hipport.source.text.source_text import Code

_OPEN = ("(", "[", "{")
_LONGEST = 4096
"""People write shorter lines and comments; of longer ones only so much is looked at."""


def lines_said(code: Code, comments: Iterable[Span], said: Sequence[str]) -> set[int]:
    """The numbers of the lines of which a comment has all of some expressions.

    A comment in a line is about that line, one in lines of its own about the line below.
    """
    found = set()
    for whole, is_beside in _joined(code.text, comments):
        comment = code.text[whole.start : min(whole.end, whole.start + _LONGEST)]
        if all(re.search(each, comment) for each in said):
            line = code.position(whole.start if is_beside else whole.end).line
            found.add(line if is_beside else line + 1)
    return found


def said_in(text: str, code: Code, comments: Iterable[Span], said: Sequence[str]) -> str:
    """A text, offset for offset, with all lines blank but those that such comments are about.

    A line that ends with an open bracket keeps the next one.
    """
    lines = lines_said(code, comments, said)
    kept, is_open = [], False
    for number, line in enumerate(text.split("\n") if lines else (), 1):
        is_about = number in lines
        kept.append(line if is_about or is_open else " " * len(line))
        is_open = is_about and line.rstrip().endswith(_OPEN)
    return "\n".join(kept)


def _joined(text: str, comments: Iterable[Span]) -> Iterator[tuple[Span, bool]]:
    """Comments, and whether code is before each; those in lines right below each other as one."""
    whole: Span | None = None
    for each in comments:
        first = max(0, each.start - _LONGEST)
        start = text.rfind("\n", first, each.start) + 1 or first
        if text[start : each.start].strip():
            yield each, True
        elif whole and whole.end + 1 == start:
            whole = Span(whole.start, each.end)
        else:
            if whole:
                yield whole, False
            whole = each
    if whole:
        yield whole, False
