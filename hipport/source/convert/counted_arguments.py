"""How many arguments a call has, where macros of its file expand to several."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.flow.device_functions import arguments_in
from hipport.source.languages.cuda_syntax import Call, parse_call
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences
from hipport.source.text.source_text import Code

_VARIADIC = "__VA_ARGS__"
_UNCOUNTED = regex(rf"{_VARIADIC}|\.\.\.")
_PARAMETERS = regex(r"\s*([A-Za-z_]\w*)\(([^()]*)\.\.\.\s*\)")
_ONE = {1}
_DEFINED = regex(r"\s*([A-Za-z_]\w*+)(?:\([^()]*\))?(.*)", re.DOTALL)
_CONTINUED = regex(r"\\\r?\n")
_MACRO = regex(r"([A-Za-z_]\w*)(?:\s*\([^()]*\))?\Z")


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
        if text == _VARIADIC and (given := _given(unit, span.start)) is not None:
            single = min(single, index)
            number += given
            continue
        if _UNCOUNTED.search(text) or len(widths) > 1:
            return Counted(len(call.arguments), min(single, index), is_known=False)
        width = max(widths)
        if width != 1:
            single = min(single, index)
        number += width
    return Counted(number, single, is_known=True)


def _given(unit: Unit, offset: int) -> int | None:
    """How many arguments stand for the dots of the macro whose text an offset is in.

    None where that is not certain: the uses in the file must agree, and others must not include it.
    """
    directive = unit.code.directive_at(offset)
    if directive is None or directive.keyword != "define" or unit.is_header:
        return None
    match = _PARAMETERS.match(unit.code.code, directive.body.start, directive.body.end)
    if match is None:
        return None
    named = len([each for each in match[2].split(",") if each.strip()])
    numbers: set[int] = set()
    for at in occurrences(unit.code.code, match[1]):
        if at == match.start(1):
            continue
        call = parse_call(unit.code, Span(at, at + len(match[1])))
        if call is None or any(_UNCOUNTED.search(unit.code.slice(each)) for each in call.arguments):
            return None
        numbers.add(len(call.arguments) - named)
    return numbers.pop() if len(numbers) == 1 and min(numbers) >= 0 else None


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
