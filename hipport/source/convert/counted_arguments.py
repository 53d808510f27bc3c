"""How many arguments a call has, where macros of its file expand to several."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from hipport.source.flow.device_functions import arguments_in
from hipport.source.languages.cuda_syntax import Call
from hipport.source.source_file import Unit
from hipport.source.text.source_text import Code

_UNCOUNTED = re.compile(r"__VA_ARGS__|\.\.\.")
_ONE = {1}
_DEFINED = re.compile(r"\s*([A-Za-z_]\w*+)(?:\([^()]*\))?(.*)", re.DOTALL)
_CONTINUED = re.compile(r"\\\r?\n")
_MACRO = re.compile(r"([A-Za-z_]\w*)(?:\s*\([^()]*\))?\Z")


class Counted(NamedTuple):
    number: int
    """How many arguments there are, as far as that is known."""
    single: int
    """How many come before the first that may be several."""
    is_known: bool


def counted(unit: Unit, call: Call) -> Counted:
    """The arguments of a call as the preprocessor will count them, by the macros of the file."""
    number, single = 0, len(call.arguments)
    for index, span in enumerate(call.arguments):
        text = unit.code.slice(span)
        match = _MACRO.match(text)
        widths = _widths(unit.code).get(match[1], _ONE) if match else _ONE
        if _UNCOUNTED.search(text) or len(widths) > 1:
            return Counted(len(call.arguments), min(single, index), is_known=False)
        width = max(widths)
        if width != 1:
            single = min(single, index)
        number += width
    return Counted(number, single, is_known=True)


@lru_cache(maxsize=2)
def _widths(code: Code) -> dict[str, set[int]]:
    """Macro of the file -> how many arguments its definitions come to."""
    found: dict[str, set[int]] = {}
    for each in code.directives:
        if each.keyword != "define":
            continue
        match = _DEFINED.match(code.code, each.body.start, each.body.end)
        if match and "," in match[2]:
            body = _CONTINUED.sub(" ", match[2])
            found.setdefault(match[1], set()).add(len(arguments_in(body)))
        elif match:
            found.setdefault(match[1], set()).add(1)
    return found
