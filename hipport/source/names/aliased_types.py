"""Other names that a file gives types: by typedef, using, and macros."""

from __future__ import annotations

import re

from hipport.source.text.source_text import Code

_ALIAS = (
    r"\btypedef\s+(?P<type>[\w:]+(?:\s+[\w:]+){0,3})\s+(?P<typedef>\w+)\s*;"
    r"|\busing\s+(?P<using>\w+)\s*=\s*(?P<used>[\w:]+(?:\s+[\w:]+){0,3})\s*;"
    r"|^[ \t]*#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+(?P<text>\w+)[ \t\r]*$"
)


def aliases_of(code: Code, types: str) -> frozenset[str]:
    """The names that a file gives types that fit a pattern, in any branch of its conditionals."""
    return code.once(_aliases_of, code, types)


def _aliases_of(code: Code, types: str) -> frozenset[str]:
    found = set()
    for each in code.finditer(_ALIAS):
        kind = each["type"] or each["used"] or each["text"]
        if re.fullmatch(types, " ".join(kind.split())):
            found.add(each["typedef"] or each["using"] or each["macro"])
    return frozenset(found)
