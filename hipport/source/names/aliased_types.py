"""Other names that a file gives types: by typedef, using, and macros."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.source.text.source_text import Code

_ALIAS = regex(
    r"\btypedef\s+(?P<type>[\w:]+(?:\s+[\w:]+)?)\s+(?P<typedef>\w+)\s*;"
    r"|\busing\s+(?P<using>\w+)\s*=\s*(?P<used>[\w:]+(?:\s+[\w:]+)?)\s*;"
    r"|^[ \t]*#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+(?P<text>\w+)[ \t\r]*$",
    re.MULTILINE,
)


def aliases_of(code: Code, types: str) -> frozenset[str]:
    """The names that a file gives types that fit a pattern, in any branch of its conditionals."""
    return code.once(_aliases_of, code, types)


def _aliases_of(code: Code, types: str) -> frozenset[str]:
    found = set()
    for each in _ALIAS.finditer(code.code):
        kind = each["type"] or each["used"] or each["text"]
        if re.fullmatch(types, kind):
            found.add(each["typedef"] or each["using"] or each["macro"])
    return frozenset(found)
