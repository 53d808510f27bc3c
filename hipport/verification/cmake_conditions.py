"""Whether a condition of CMake's if() holds, where the file itself decides that."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from hipport.named_tuples import NamedTuple
from hipport.verification.compiler_facts import knowledge

_ON = frozenset(("1", "ON", "YES", "TRUE", "Y"))
_OFF = frozenset(("", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND"))
_EQUAL = frozenset(("STREQUAL", "EQUAL"))
_DEEPEST = 50


class Token(NamedTuple):
    """A word of a condition, with its references replaced; a parenthesis is never quoted."""

    text: str
    is_quoted: bool


def is_unknown(text: str) -> bool:
    """Whether a text still has a reference, whose value is unknown."""
    return "${" in text or "$ENV{" in text


def holds(
    tokens: Sequence[Token], variables: Mapping[str, str], is_target: Callable[[str], bool]
) -> bool | None:
    """Whether a condition holds; None where that depends on the machine or the user.

    cmake.org/cmake/help/latest/command/if.html: parentheses first, then tests, NOT, AND, OR.
    """
    return _Condition(variables, is_target).value(list(tokens), 0)


class _Condition:
    def __init__(self, variables: Mapping[str, str], is_target: Callable[[str], bool]) -> None:
        self.variables, self.is_target = variables, is_target

    def value(self, tokens: list[Token], depth: int) -> bool | None:
        if depth > _DEEPEST:
            return None
        parts: list[bool | None] = []
        for alternative in _split(tokens, "OR"):
            found = [self._test(each, depth) for each in _split(alternative, "AND")]
            parts.append(False if False in found else None if None in found else True)
        return True if True in parts else None if None in parts else False

    def _test(self, tokens: list[Token], depth: int) -> bool | None:
        if tokens and _is(tokens[0], "NOT"):
            found = self._test(tokens[1:], depth + 1) if depth < _DEEPEST else None
            return None if found is None else not found
        if len(tokens) > 1 and _is(tokens[0], "(") and _is(tokens[-1], ")"):
            return self.value(tokens[1:-1], depth + 1)
        words = [each.text for each in tokens]
        if len(words) == 1:
            return self._truth(tokens[0])
        if len(words) == 2 and words[0] == "DEFINED":
            return None if words[1].startswith("ENV{") else words[1] in self.variables
        if len(words) == 2 and words[0] == "TARGET":
            return True if self.is_target(words[1]) else None
        if len(words) == 3 and words[1] in _EQUAL:
            one, two = self._meant(tokens[0]), self._meant(tokens[2])
            return None if is_unknown(one + two) else one == two
        if len(words) == 3 and words[1] == "IN_LIST":
            values = self.variables.get(words[2], "").split(";")
            one = self._meant(tokens[0])
            if one in values and not is_unknown(one):
                return True
            return None if any(map(is_unknown, (one, *values))) else False
        return None

    def _truth(self, token: Token) -> bool | None:
        text = token.text.upper()
        if is_unknown(text):
            return None
        if text in _ON or re.fullmatch(r"[1-9]\d{0,9}", text, re.ASCII):
            return True
        if text in _OFF or text.endswith("-NOTFOUND") or token.is_quoted:
            return False
        if token.text in self.variables:
            value = self.variables[token.text].upper()
            return None if is_unknown(value) else not (value in _OFF or value.endswith("-NOTFOUND"))
        return assumed(token.text)

    def _meant(self, token: Token) -> str:
        """What is compared: for the name of a variable, its value."""
        return token.text if token.is_quoted else self.variables.get(token.text, token.text)


def assumed(name: str) -> bool | None:
    """The value of a variable that no file sets: GPU code is built, and packages may be found.

    Others are empty unless the user sets them; those that CMake sets are not known.
    """
    for value, pattern in _assumptions():
        if pattern.fullmatch(name):
            return value
    return False


@cache
def _assumptions() -> tuple[tuple[bool | None, re.Pattern[str]], ...]:
    table = knowledge()["assumed"]
    values = (("on", True), ("off", False), ("unknown", None))
    return tuple((value, re.compile(table[key], re.ASCII)) for key, value in values)


def _split(tokens: list[Token], word: str) -> list[list[Token]]:
    """The parts between the occurrences of a word outside parentheses."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += _is(token, "(") - _is(token, ")")
        if depth == 0 and _is(token, word):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _is(token: Token, word: str) -> bool:
    return token.text == word and not token.is_quoted
