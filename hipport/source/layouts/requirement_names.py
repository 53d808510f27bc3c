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
_LINE = regex(
    r"^(?:\[(?P<section>[^\]\n]+)\]|(?P<key>[\w.-]+)(?P<sign>[ \t]*[=:][ \t]*)(?P<value>[^\n#;]*))",
    re.MULTILINE,
)
_FIRST = regex(r"[A-Za-z][\w.-]*(?![\w.+:/-])")
_EXTRAS = "options.extras_require"
_LISTS = frozenset(
    ("install_requires", "setup_requires", "tests_require", "deps", "dependencies", "requires")
)
_SEPARATORS = regex(r"[-_.]+")


def equal_name(name: str) -> str:
    """A name as PEP 503 makes names equal."""
    return _SEPARATORS.sub("-", name).lower()


def requirement_names(text: str) -> Iterator[Change]:
    """Write names in lower case with hyphens, and `torch (>=2)` as `torch>=2`."""
    for each in _NAME.finditer(text):
        yield Change(*each.span("name"), equal_name(each["name"]))
        if each["closed"]:
            yield Change(each.start("blanks"), each.start("version"), "")
            yield Change(*each.span("closed"), "")
        elif each["first"] is not None:
            yield Change(*each.span("first"), "")
            yield Change(*each.span("second"), "")


def values_on_lines(text: str) -> Iterator[Change]:
    """Of INI files: begin a line at the value of a list of requirements, and write `key =`."""
    section = ""
    for each in _LINE.finditer(text):
        section = each["section"] or section
        if each["sign"] is None:
            continue
        is_list = each["value"] and (section == _EXTRAS or each["key"] in _LISTS)
        yield Change(*each.span("sign"), " = " if each["value"] and not is_list else " =")
        if is_list:
            start = each.start("value")
            yield Change(start, start, "\n    ")
            if name := _FIRST.match(text, start):
                yield Change(*name.span(), equal_name(name[0]))
