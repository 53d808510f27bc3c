"""How large a file may be that has to be parsed, which bounds the memory that it takes.

A syntax tree takes up to 100 bytes for a byte of C++, 150 for one of CMake and 350 for one of
Python, with what is found in it.
"""

from __future__ import annotations

from collections.abc import Mapping

from hipport.source.names.counterparts import Decisions
from hipport.source.names.uses import names_of_interest
from hipport.source.text.source_text import Code

TO_AUDIT = {"cuda": 4 << 20, "cpp": 4 << 20, "c": 4 << 20, "python": 1 << 20, "": 16 << 20}
"""Bytes by language; "" for any other file. An audit keeps more of what it finds."""
TO_CONVERT = {"cuda": 16 << 20, "cpp": 16 << 20, "c": 16 << 20, "python": 4 << 20, "": 8 << 20}


def why_too_large(data: bytes, language: str, decisions: Decisions, most: Mapping[str, int]) -> str:
    """Why a file is not parsed; "" for one that is small, or that needs no parsing."""
    largest = most.get(language, most[""])
    if len(data) <= largest:
        return ""
    if language in ("cuda", "cpp", "c") and names_of_interest(Code(data), decisions) is None:
        return ""
    return f"larger than {largest >> 20} MiB"
