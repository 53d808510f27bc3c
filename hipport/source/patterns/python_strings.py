"""Which findings of a Python file are inside its strings: there may be code, for a compiler."""

from __future__ import annotations

import re
from bisect import bisect_right

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.source.text.source_text import Code

COMMENT_OR_STRING = regex(
    r"#[^\n]*"
    r'|""".*?(?:"""|\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)


def those_in_strings(found: list[Finding], written: Code) -> list[Finding]:
    """The findings that begin inside a string."""
    if not found:
        return found
    parts = COMMENT_OR_STRING.finditer(written.text)
    strings = [each.span() for each in parts if each[0][0] != "#"]
    starts = [written.position(start) for start, _ in strings]
    ends = [written.position(end) for _, end in strings]
    inside = []
    for each in found:
        before = bisect_right(starts, each.start) - 1
        if before >= 0 and each.start < ends[before]:
            inside.append(each)
    return inside
