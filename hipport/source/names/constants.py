"""Numbers that a file, or a header of its tree, gives names to: macros, constants, enumerators."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.names.declared_constants import Constant, constants_named, declared_constants
from hipport.source.names.hip_branches import is_left_out_of_hip
from hipport.source.text.source_text import Code

_TOKEN = regex(
    r"\s*(?:(?P<number>(?:0[xX][0-9a-fA-F']+|[0-9][0-9']*)[uUlLzZ]*)\b|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<mark><<|>>|[-+*/%()&]))"
)
_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"&": operator.and_},
    {"<<": lambda one, two: one << min(two, 64), ">>": lambda one, two: one >> min(two, 64)},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": operator.floordiv, "%": operator.mod},
)
_LONGEST = 120
_MACRO = regex(r"\s*(\w+)\s+(\S.*)", re.DOTALL)
_MOST_NAMES = 100


class Definition(msgspec.Struct, frozen=True):
    text: str
    offset: int


def definitions(code: Code, rules: RuleSet, name: str) -> list[str]:
    """The texts that macros, constants and enumerators of the file give a name on AMD's GPUs.

    Those of a header of the tree, where the file has none of that name.
    """
    given = definitions_in_file(code, name)
    if not given:
        return code.constants.get(name, [])
    return [each.text for each in given if not is_left_out_of_hip(code, rules, each.offset)]


def definitions_in_file(code: Code, name: str) -> list[Definition]:
    """The texts that a file gives a name, and where."""
    return code.once(_given_to, code, name)


def _given_to(code: Code, name: str) -> list[Definition]:
    return [*_macros(code).get(name, ()), *_short(constants_named(code, name))]


@lru_cache(maxsize=2)
def every_definition(code: Code) -> dict[str, list[Definition]]:
    """Name -> the texts that a file gives it, and where."""
    found = {name: list(given) for name, given in _macros(code).items()}
    for constant in declared_constants(code):
        found.setdefault(constant.name, []).extend(_short((constant,)))
    return found


@lru_cache(maxsize=2)
def _macros(code: Code) -> dict[str, list[Definition]]:
    found: dict[str, list[Definition]] = {}
    for directive in code.directives:
        match = _MACRO.match(code.code, *directive.body) if directive.keyword == "define" else None
        if match:
            given = _short((Constant(match[1], match[2], directive.span.start),))
            found.setdefault(match[1], []).extend(given)
    return found


def _short(given: Iterable[Constant]) -> Iterator[Definition]:
    for _, text, offset in given:
        if len(text) <= _LONGEST:
            yield Definition(" ".join(text.split()), offset)


def number(
    code: Code, rules: RuleSet, text: str, known: dict[str, int | None] | None = None
) -> int | None:
    """The value of an expression of numbers and constants of the file; None if it has no one.

    `known` are the names that it led to so far: those that are being looked at have no value yet,
    so that one whose value needs itself has none.
    """
    known = {} if known is None else known
    if len(text) > _LONGEST or len(known) > _MOST_NAMES:
        return None
    # All is read first: what a name stands for takes longer to find.
    matches: list[re.Match[str]] = []
    at = 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        at = match.end()
        matches.append(match)
    tokens: list[str] = []
    for match in matches:
        if match["name"]:
            value = _of_name(code, rules, match["name"], known)
            if value is None:
                return None
            tokens.append(str(value))
        else:
            tokens.append(match["number"] or match["mark"])
    tokens.reverse()
    try:
        value = _level(tokens, 0)
    except (ValueError, ZeroDivisionError, IndexError):
        return None
    return None if tokens else value


def _of_name(code: Code, rules: RuleSet, name: str, known: dict[str, int | None]) -> int | None:
    """The one value of a constant, by all of its definitions."""
    if name not in known:
        known[name] = None
        texts = dict.fromkeys(definitions(code, rules, name))
        values = {number(code, rules, each, known) for each in texts}
        known[name] = values.pop() if len(values) == 1 else None
    return known[name]


def _level(tokens: list[str], level: int) -> int:
    if level == len(_LEVELS):
        return _operand(tokens)
    value = _level(tokens, level + 1)
    while tokens and tokens[-1] in _LEVELS[level]:
        apply = _LEVELS[level][tokens.pop()]
        value = apply(value, _level(tokens, level + 1))
    return value


def _operand(tokens: list[str]) -> int:
    text = tokens.pop()
    if text == "(":
        value = _level(tokens, 0)
        if tokens.pop() != ")":
            raise ValueError
        return value
    if text in "+-":
        return _operand(tokens) * (-1 if text == "-" else 1)
    return int(text.replace("'", "").rstrip("uUlLzZ"), 0)
