"""Variables of scripts and makefiles that decide nothing: shown to people, or never read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span

_ASSIGNED = {
    "make": regex(r"^[ ]*(\w+)[ \t]*(?:::?|\?)?=", re.MULTILINE),
    "shell": regex(r"^[ \t]*(?:local[ \t]+)?(\w+)=", re.MULTILINE),
}
# Another file, or another program, may read what is assigned here.
_ELSEWHERE = {
    "make": regex(
        r"^[ \t]*(?:-?include|sinclude|(?:un)?export)\b|\.EXPORT_ALL|\$\(eval\b", re.MULTILINE
    ),
    "shell": regex(r"^[ \t]*(?:set[ \t]+-\w*a|eval|source|\.)\s|\benvsubst\b", re.MULTILINE),
}
_WORD = regex(r"\w+")
# With words before the variable, and not in a function of a shell, whose answer it may be.
_TOLD = r"(?:echo|printf)(?:[ \t]+-\w+)*+[ \t](?![^\n]*::)[^$|>&;`\\]*\w[^$|>&;`\\]*\$[^|>&;`\\]*$"
_SHOWN = {"make": regex(rf"\t[@-]*{_TOLD}"), "shell": regex(_TOLD)}


def unread_spans(text: str, kind: str) -> list[Span]:
    """The names in assignments whose variables the file only shows; of a makefile, never reads too.

    A script that never reads a variable may be one that others include.
    """
    if _ELSEWHERE[kind].search(text):
        return []
    assigned: dict[str, list[Span]] = {}
    for match in _ASSIGNED[kind].finditer(text):
        assigned.setdefault(match[1], []).append(Span(*match.span(1)))
    shown: set[str] = set()
    read: set[str] = set()
    starts = {span.start for spans in assigned.values() for span in spans}
    for name, at, is_shown in _words(text, kind):
        if name in assigned and at not in starts:
            (shown if is_shown else read).add(name)
    idle = assigned.keys() - read if kind == "make" else shown - read
    return sorted(span for name in idle for span in assigned[name])


def _words(text: str, kind: str) -> Iterator[tuple[str, int, bool]]:
    """Each word with its offset, and whether its line only shows it."""
    start = 0
    for line in text.split("\n"):
        is_shown = _SHOWN[kind].match(line) is not None
        for match in _WORD.finditer(line):
            yield match[0], start + match.start(), is_shown
        start += len(line) + 1
