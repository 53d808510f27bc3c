"""printf formats of values that got 64 bits."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.code import Code

# [C11 7.21.6.1]: flags, width, precision, length modifier, conversion specifier.
_CONVERSION = re.compile(
    r"%(?P<head>[-+ #0]*\d*(?:\.\d*)?)(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>.)"
)
_PLAIN = re.compile(r'\s*(?:"(?:[^"\\]|\\.)*"\s*)+')


def widened_conversion(
    code: Code, format_: Span, number: int
) -> tuple[tuple[Span, str], ...] | None:
    """The edit that makes the conversion of that number, counted from 0, take 64 bits.

    None if the format is more than plain string literals, or that conversion is not of an integer.
    """
    text = code.slice(format_)
    if not _PLAIN.fullmatch(text) or "*" in text:
        return None
    count = 0
    for match in _CONVERSION.finditer(text):
        if match["kind"] == "%":
            continue
        if count == number:
            if match["kind"] not in "uxXoid":
                return None
            if match["length"] == "ll":
                return ()
            at = format_.start + match.end("head")
            return ((Span(at, at), "ll"),) if match["length"] is None else None
        count += 1
    return None
