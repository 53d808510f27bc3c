"""Variables of scripts and makefiles that decide nothing: shown to people, or never read."""

from __future__ import annotations

import re

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
    for match in _WORD.finditer(text):
        name, at = match[0], match.start()
        if name in assigned and at not in starts and name not in read:
            (shown if _is_shown(text, at, kind) else read).add(name)
    idle = assigned.keys() - read if kind == "make" else shown - read
    return sorted(span for name in idle for span in assigned[name])


def _is_shown(text: str, offset: int, kind: str) -> bool:
    """Whether the line of an offset only shows what is in it."""
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    return _SHOWN[kind].match(text[start : end if end >= 0 else None]) is not None
