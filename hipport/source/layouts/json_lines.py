"""JSON with each value on a line of its own, and lists of plain values on one line."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change
from hipport.source.layouts.continued_lines import LONGEST

_TO_END = r"\"(?:[^\"\\\n]|\\.)*+"
_STRING = rf"{_TO_END}\""
_PLAIN = regex(rf"\[(?:\s*+(?:{_STRING}|[\w.+-]++)\s*+(?:,(?!\s*\])|(?=\])))++\]", 16)
_GAP = regex(rf"{_STRING}|(?P<first>(?<=\[)\s++)|(?P<comma>\s*+,\s*+)|(?P<last>\s++(?=\]))", 16)
_TOKEN = regex(
    rf"(?P<comment>//[^\n]*+|/\*.*?(?:\*/|\Z))|{_TO_END}\"?+|\[\s*+\]|\{{\s*+\}}"
    r"|(?P<mark>[\[\]{},:])|[^\s\[\]{},:\"/]++|/",
    16,
)
_DEEPEST = 20
"""Objects and lists, each of which is indented more than the one around it."""


def json_lines(text: str) -> Iterator[Change]:
    """Begin a line at each value of an object, and at each object or list of a list."""
    depth, last, end = 0, ":", 0
    at = 0
    while each := _TOKEN.search(text, at):
        at = each.end()
        mark = each["mark"] or ""
        if mark in ("]", "}"):
            depth = max(depth - 1, 0)
        plain = _PLAIN.match(text, each.start()) if mark == "[" else None
        gap = text[end : each.start()]
        if each["comment"] or last == "comment":
            pass
        elif last in ("[", "{", ",") or mark in ("]", "}"):
            if "\n" not in gap:
                yield Change(end, each.start(), "\n" + "  " * min(depth, _DEEPEST))
        elif mark in (",", ":"):
            yield Change(end, each.start(), "")
        elif last == ":" and end:
            yield Change(end, each.start(), " ")
        if plain and len(plain[0]) < LONGEST:
            for blanks in _GAP.finditer(text, plain.start(), plain.end()):
                if blanks.lastgroup:
                    yield Change(*blanks.span(), ", " if blanks["comma"] else "")
            mark, at = "", plain.end()
        elif mark in ("[", "{"):
            depth += 1
        last, end = "comment" if each["comment"] else mark, at
