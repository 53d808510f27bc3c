"""Names of required packages as PEP 503 makes them equal, versions without parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change

_NAME = regex(
    r"^[ \t]*(?P<name>[A-Za-z][\w.-]*[A-Za-z\d])(?P<extras>\[[\w, .-]*\])?"
    r"(?=[ \t]*(?:$|[;#\\@(]|[=<>!~]=|[<>])|[ \t]+--hash)"
    r"(?:(?P<blanks>[ \t]*)\((?P<version>[^()\n]*)(?P<closed>\))"
    r"|(?P<first>[ \t]*)(?:[=<>!~]=|[<>])(?P<second>[ \t]*))?",
    re.MULTILINE,
)
_SEPARATORS = regex(r"[-_.]+")


def requirement_names(text: str) -> Iterator[Change]:
    """Write names in lower case with hyphens, and `torch (>=2)` as `torch>=2`."""
    for each in _NAME.finditer(text):
        yield Change(*each.span("name"), _SEPARATORS.sub("-", each["name"]).lower())
        if each["closed"]:
            yield Change(each.start("blanks"), each.start("version"), "")
            yield Change(*each.span("closed"), "")
        elif each["first"] is not None:
            yield Change(*each.span("first"), "")
            yield Change(*each.span("second"), "")
