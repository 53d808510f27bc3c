"""Variables of make as `NAME = value`, at the start of a line, and read as `$(NAME)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change

_SET = regex(
    r"^(?P<before>[ ]*(?:(?:export|override|private)[ \t]+)*)(?=[\w.-]+[ \t]*(?::{0,3}|[?+!])=)",
    re.MULTILINE,
)
_READ = regex(r"(?<!\$)\$(?P<open>\{)[\w.-]+(?P<close>\})")


def variables(text: str) -> Iterator[Change]:
    """Leave out what is before an assignment; braces become parentheses, which mean the same."""
    for each in _SET.finditer(text):
        yield Change(*each.span("before"), "")
    for each in _READ.finditer(text):
        yield Change(*each.span("open"), "(")
        yield Change(*each.span("close"), ")")
