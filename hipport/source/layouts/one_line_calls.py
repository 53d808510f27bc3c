"""Calls and lists of Meson's and Bazel's languages on one line each."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change
from hipport.source.layouts.continued_lines import LONGEST

_TOKEN = regex(
    r"(?P<gap>,[ \t]*+(?:(?:\#[^\n]*+)?+\n[ \t]*+)*+|(?:[ \t]*+(?:\#[^\n]*+)?+\n)++[ \t]*+)"
    r"|(?P<comment>\#[^\n]*+)"
    r"|'''.*?'''|\"\"\".*?\"\"\"|'(?:[^'\\\n]|\\.)*+'?+|\"(?:[^\"\\\n]|\\.)*+\"?+"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|[^\s#'\"()\[\]{},]++|[ \t]++|.",
    16,
)
_NAMED = regex(r"\w++[ \t]*+(?:=(?!=)|:)")


def one_line_calls(text: str) -> Iterator[Change]:
    """Join what brackets hold, but begin a line at each argument with a name; none is too long."""
    stack: list[str] = []
    start = 0
    found: list[Change] = []
    for each in _TOKEN.finditer(text):
        if mark := each["open"]:
            start = start if stack else each.start()
            stack.append(mark)
        elif each["close"]:
            if stack:
                stack.pop()
            if not stack:
                if each.end() - start < LONGEST:
                    yield from found
                found = []
        elif stack and (gap := each["gap"]):
            begin, end = each.span()
            is_edge = text[begin - 1] in "([{" or text[end : end + 1] in (")", "]", "}")
            if stack[-1] == "(" and _NAMED.match(text, end):
                found.append(Change(begin, end, f"{',' if gap.startswith(',') else ''}\n    "))
            else:
                new = "" if is_edge else ", " if gap.startswith(",") else " "
                found.append(Change(begin, end, new))
