"""Expressions that may take exponential time, since a repeated group can match in many ways.

In `(?:_\\w+)*` the text `_a_b` is one round or two, so that a text of n underscores in which the
match fails further on is tried in 2^n ways. A possessive quantifier (`\\w++`), or a separator that
the repeated letters lack, leaves one.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from itertools import product
from typing import Any

from hipport.named_tuples import NamedTuple

_MANY = 8
"""Rounds of a group from which on its ways to match count."""
_MOST_FORMS = 64
_LETTERS = frozenset(range(1, 128))
_NO_WIDTH = frozenset(("AT", "ASSERT", "ASSERT_NOT"))
_REPEATS = frozenset(("MAX_REPEAT", "MIN_REPEAT"))
_CATEGORIES = {
    "CATEGORY_DIGIT": frozenset(map(ord, "0123456789")),
    "CATEGORY_SPACE": frozenset(map(ord, " \t\n\r\f\v")),
    "CATEGORY_WORD": frozenset(each for each in _LETTERS if chr(each).isidentifier())
    | frozenset(map(ord, "0123456789")),
}


class _Part(NamedTuple):
    """Part of a round: its letters, whether it may be empty, and whether its length varies."""

    letters: frozenset[int]
    is_optional: bool
    is_variable: bool


_Form = tuple[_Part, ...]
"""The parts of one round, where each branch of the group is chosen."""


def ambiguous_repeats(expression: str) -> Iterator[str]:
    """A reason for each repeated group that can share out a text in more ways than one."""
    for body in _repeated(importlib.import_module("re._parser").parse(expression)):
        if letters := _shared(_forms(body)):
            letter = chr(min(letters, key=lambda each: (not chr(each).isalnum(), each)))
            yield f"{expression}: a repeated group can share out {letter * 3!r} in several ways"


def _repeated(items: Any) -> Iterator[Any]:
    """The content of each group that may be repeated many times, those inside others included."""
    for kind, argument in items:
        inner = _inner(kind.name, argument)
        if kind.name in _REPEATS and argument[1] >= _MANY and _has_group(inner[0]):
            yield inner[0]
        for each in inner:
            yield from _repeated(each)


def _has_group(items: Any) -> bool:
    return any(_inner(kind.name, argument) for kind, argument in items)


def _inner(kind: str, argument: Any) -> list[Any]:
    if kind in _REPEATS or kind == "POSSESSIVE_REPEAT":
        return [argument[2]]
    if kind == "SUBPATTERN":
        return [argument[3]]
    if kind == "BRANCH":
        return list(argument[1])
    return [argument] if kind == "ATOMIC_GROUP" else []


def _forms(items: Any) -> list[_Form]:
    forms: list[_Form] = [()]
    for kind, argument in items:
        if kind.name not in _NO_WIDTH:
            ways = _ways(kind.name, argument)
            if len(forms) * len(ways) > _MOST_FORMS:
                ways = [(_any_of(ways),)]
            forms = [first + second for first, second in product(forms, ways)]
    return forms


def _ways(kind: str, argument: Any) -> list[_Form]:
    """The parts that an item of an expression may be."""
    inner = [form for each in _inner(kind, argument) for form in _forms(each)]
    if kind in ("SUBPATTERN", "BRANCH"):
        return inner
    if not inner:
        return [(_Part(_letters(kind, argument), False, False),)]
    least, most = argument[:2] if kind != "ATOMIC_GROUP" else (1, 1)
    if kind in _REPEATS and most == 1:
        return [(), *inner] if least == 0 else inner
    varies = kind in _REPEATS and least != most
    return [(_any_of(inner)._replace(is_optional=least == 0, is_variable=varies),)]


def _any_of(forms: list[_Form]) -> _Part:
    parts = [part for form in forms for part in form]
    optional = any(all(part.is_optional for part in form) for form in forms)
    letters = frozenset[int]().union(*(part.letters for part in parts))
    return _Part(letters, optional, any(part.is_variable for part in parts))


def _letters(kind: str, argument: Any) -> frozenset[int]:
    if kind == "LITERAL":
        return frozenset((argument,))
    if kind == "NOT_LITERAL":
        return _LETTERS - {argument}
    if kind == "RANGE":
        return frozenset(range(argument[0], argument[1] + 1))
    if kind == "CATEGORY":
        name = argument.name
        letters = _CATEGORIES.get(name.replace("_NOT", ""), _LETTERS)
        return _LETTERS - letters if "_NOT" in name else letters
    if kind == "IN":
        listed = [_letters(each.name, value) for each, value in argument if each.name != "NEGATE"]
        letters = frozenset[int]().union(*listed)
        return _LETTERS - letters if argument[0][0].name == "NEGATE" else letters
    return _LETTERS


def _shared(forms: list[_Form]) -> frozenset[int]:
    """Letters that two parts of varying length can share, of one round or of two in a row."""
    for form, after in product(forms, forms):
        for at, first in enumerate(form):
            for second in (*form[at + 1 :], *after) if first.is_variable else ():
                common = first.letters & second.letters
                if common and second.is_variable:
                    return common
                if not common and not second.is_optional:
                    break
    return frozenset()
