"""Which functions a text declares for devices, without parsing it."""

from __future__ import annotations

import re
from typing import NamedTuple

from hipport.model import Span
from hipport.rulebook.words import DeviceCode
from hipport.source.text.brackets import closing_bracket, occurrences, skip

_BEFORE_NAMES = frozenset(":*&>~_")
_REACH = 256
"""How far the body is looked for behind the parameters."""


class Attributeless(NamedTuple):
    """A definition in CUDA code without attributes that a header of the tree declares it with."""

    name: Span
    start: int
    """Where the definition begins."""
    words: str
    """The attributes to write there; "" where it is not certain that the header means it."""
    header: str


def declared_names(text: str, words: DeviceCode, macros: frozenset[str] = frozenset()) -> list[str]:
    """The names of functions that a text declares for the device: few files define them apart.

    `macros` are those that stand for the attributes.
    """
    marks = "|".join((device_keyword(words), *sorted(macros)))
    name = r"(operator(?:\(\)|[^\w\s()]{1,3})|\w+)"
    shape = rf"(?:{marks})[^;{{}}()=]*?{name}\s*\([^;{{}}]*\)[^;{{}}()]*;"
    return sorted(set(re.findall(shape, text)))


def attribute_macros(data: bytes, words: DeviceCode) -> set[str]:
    """The macros of a text that stand for attributes of functions only for the device."""
    keywords = (words.host_keyword, device_keyword(words))
    if keywords[1].encode() not in data or b"define" not in data:
        return set()
    one = f"(?:{'|'.join(keywords)})"
    shape = rf"#[ \t]*define[ \t]+(\w+)[ \t]+({one}(?:[ \t]+{one})*)[ \t]*\r?$"
    found = re.findall(shape.encode(), data, re.MULTILINE)
    return {name.decode() for name, body in found if keywords[1].encode() in body.split()}


def is_before_parentheses(text: str, name: str) -> bool:
    """Whether a name comes before parentheses, or a comment that may come before them."""
    ends = (at + len(name) for at in occurrences(text, name))
    return any(text.startswith(("(", "/"), skip(text, end)) for end in ends)


def may_define(code: str, name: str) -> bool:
    """Whether a name comes before parentheses and a body, as in no call."""
    for at in occurrences(code, name):
        opened = skip(code, at + len(name))
        if not code.startswith("(", opened):
            continue
        last = code[max(0, at - _REACH) : at].rstrip()[-1:]
        if not (last.isalnum() or last in _BEFORE_NAMES):
            continue
        closed = closing_bracket(code, opened)
        if closed and "{" in code[closed : closed + _REACH].partition(";")[0]:
            return True
    return False


def device_keyword(words: DeviceCode) -> str:
    """The keyword of functions that run on devices and are called there."""
    return next(each for each in words.function_keywords if "device" in each)
