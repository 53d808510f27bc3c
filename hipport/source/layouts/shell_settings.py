"""Variables that csh sets, as other shells do."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change

_SETENV = regex(r"^[ \t]*(?P<word>setenv)[ \t]+\w+(?P<blanks>[ \t]+)(?=\S)", 8)


def settings(text: str) -> Iterator[Change]:
    """`setenv NAME value` as `export NAME=value`."""
    if "setenv" not in text:
        return
    for each in _SETENV.finditer(text):
        yield Change(*each.span("word"), "export")
        yield Change(*each.span("blanks"), "=")
