"""What the text of a function's body says alone: what it assigns, its lambdas and its calls.

All offsets are in that text, so that it need not be read again where it only moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.flow.device_functions import arguments_in
from hipport.source.flow.operands import LONGEST_EXPRESSION, expression_at
from hipport.source.names.declaring_tokens import may_declare_variable
from hipport.source.names.variables import declared_by
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.text.quick_search import matches

# Names and spaces are possessive: nothing in them can be given back.
_ASSIGNED = (
    r"(?<![\w.>\])])(?P<name>[A-Za-z_]\w*+)\s*+"
    r"(?P<mark>[-+*/%&|^]|<<|>>)?=(?!=)"
)
_MAY_DECLARE = (
    r"\b(?:int|unsigned|auto|long|short|const|size_t|uint|u?int\d+_t)\s+"
    r"(?P<name>[A-Za-z_]\w*)\s*(?=[({])"
)
_NUMBERS = regex(
    r"auto|(?:(?:unsigned|signed|long|short|int)\b ?)+|uint|(?:std::)?(?:size_t|u?int\d+_t)"
)
_ATTRIBUTES = regex(r"\s*+(?:__\w+__\s*+)*+")
CALL = regex(r"(?<![\w.])([A-Za-z_]\w*+)\s*+(?:<[\w\s,:*]*+>\s*+)?\(")
WORD = regex(r"\b[A-Za-z_]\w*")


class Assigned(msgspec.Struct, frozen=True):
    """What a variable is given. `words` are the names in it."""

    name: str
    start: int
    is_changed: bool
    """Whether the value before counts too: `+=`."""
    value: Span
    words: frozenset[str]


class Lambda(msgspec.Struct, frozen=True):
    """One with a name; `end` is behind its parameters, or what stands before its body."""

    name: str
    parameters: str
    end: int


def assigned(text: str) -> list[Assigned]:
    """What is assigned to variables, in order."""
    return sorted(_assigned(text), key=lambda each: each.start)


def _assigned(text: str) -> Iterator[Assigned]:
    for match in matches(_ASSIGNED, text, re.NOFLAG):
        value = expression_at(text, match.end(), len(text))
        yield _given(text, match["name"], match.start(), value, is_changed=bool(match["mark"]))
    for name in _initialized(text):
        value = expression_at(text, skip(text, name.end) + 1, len(text))
        yield _given(text, text[slice(*name)], name.start, value)


def _given(text: str, name: str, start: int, value: Span, *, is_changed: bool = False) -> Assigned:
    return Assigned(name, start, is_changed, value, frozenset(WORD.findall(text, *value)))


def _initialized(text: str) -> Iterator[Span]:
    """The names of variables that are declared with a number in brackets: `int n(i);`.

    What is in the brackets of another type is given to its constructor.
    """
    for match in matches(_MAY_DECLARE, text, re.NOFLAG):
        name = Span(*match.span("name"))
        start = skip(text, max(text.rfind(mark, 0, match.start()) for mark in ";{}(") + 1)
        closed = closing_bracket(text, match.end()) if may_declare_variable(text, name) else None
        for each in declared_by(text[start : closed + 1]) if closed else ():
            if each.value and _NUMBERS.fullmatch(each.type):
                yield name


def lambdas(text: str) -> list[Lambda]:
    """The lambdas that variables are given, in order."""
    return [found for each in assigned(text) if (found := _lambda(text, each))]


def _lambda(text: str, given: Assigned) -> Lambda | None:
    start = given.value.start
    closed = closing_bracket(text, start) if text.startswith("[", start) else None
    behind = _ATTRIBUTES.match(text, closed + 1) if closed else None
    if behind and text.startswith("{", behind.end()):
        return Lambda(given.name, "", behind.end())
    opened = behind.end() if behind and text.startswith("(", behind.end()) else None
    closed = closing_bracket(text, opened) if opened else None
    if opened is None or closed is None:
        return None
    return Lambda(given.name, text[opened + 1 : closed], closed + 1)


def calls(text: str) -> dict[str, list[Span]]:
    """Name -> each call of it: the name with the opening parenthesis."""
    found: dict[str, list[Span]] = {}
    for match in CALL.finditer(text):
        found.setdefault(match[1], []).append(Span(*match.span()))
    return found


def arguments_of(text: str, opened: int) -> list[str]:
    """The arguments of a call, from behind its parenthesis; none of one too long to be followed."""
    closed = closing_bracket(text, opened - 1, LONGEST_EXPRESSION + 2)
    return arguments_in(text[opened:closed]) if closed is not None else []
