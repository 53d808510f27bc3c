"""What the text of a function's body says alone: what it assigns, its lambdas and its calls.

All offsets are in that text, so that it need not be read again where it only moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hipport.model import Span
from hipport.source.flow.device_functions import arguments_in
from hipport.source.flow.operands import LONGEST_EXPRESSION, expression_at
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.quick_search import matches

# Names and spaces are possessive: nothing in them can be given back.
_ASSIGNED = (
    r"(?<![\w.>\])])(?P<name>[A-Za-z_]\w*+)\s*+"
    r"(?P<mark>[-+*/%&|^]|<<|>>)?=(?!=)"
)
_INITIALISED = (
    r"\b(?:int|unsigned|auto|long|short|const|size_t|uint|u?int\d+_t)\s+"
    r"(?P<name>[A-Za-z_]\w*)\s*[({]"
)
_LAMBDA = re.compile(r"\b(\w++)\s*+=\s*+\[[^\[\]]*+\]\s*(?:__\w+__\s*)*\(([^()]*)\)")
CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w*+)\s*+(?:<[\w\s,:*]*+>\s*+)?\(")
WORD = re.compile(r"\b[A-Za-z_]\w*")


class Assigned(NamedTuple):
    """What a variable is given. `words` are the names in it."""

    name: str
    start: int
    is_changed: bool
    """Whether the value before counts too: `+=`."""
    value: Span
    words: frozenset[str]


class Lambda(NamedTuple):
    """One with a name; `end` is behind its parameters."""

    name: str
    parameters: str
    end: int


def assigned(text: str) -> list[Assigned]:
    """What is assigned to variables, in order."""
    return sorted(_assigned(text), key=lambda each: each.start)


def _assigned(text: str) -> Iterator[Assigned]:
    for shape in (_ASSIGNED, _INITIALISED):
        for match in matches(shape, text, re.NOFLAG):
            value = expression_at(text, match.end(), len(text))
            is_changed = shape is _ASSIGNED and bool(match["mark"])
            words = frozenset(WORD.findall(text, *value))
            yield Assigned(match["name"], match.start(), is_changed, value, words)


def lambdas(text: str) -> list[Lambda]:
    """The lambdas that variables are initialised with, in order."""
    return [Lambda(match[1], match[2], match.end()) for match in _LAMBDA.finditer(text)]


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
