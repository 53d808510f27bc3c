"""What a preprocessor condition decides, as far as that is known.

[cpp.cond]: an identifier that is not a macro counts as 0. Names that are neither known to be
undefined nor given a value make the result unknown, unless `&&` or `||` decides without them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping

from hipport.lazy_regex import regex

_TOKEN = regex(
    r"\s*(?:(?P<number>(?:0[xX][0-9a-fA-F']+|[0-9][0-9']*)[uUlL]*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<mark>&&|\|\||[=!<>]=|<<|>>|[-+*/%<>!~()&|^?:,])|(?P<other>\S))"
)
_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul},
)
_WORDS = {"and": "&&", "or": "||", "not": "!"}
"""C++'s other spellings of operators."""
_MOST_TOKENS = 400
_ASKING = regex(r"(?!\w*(?:not|un|dis|no_))\w*(?:defined|enabled)", re.IGNORECASE)
"""Macros that ask whether another one is set, as `IS_ENABLED(WITH_HIP)` does."""


def as_expression(keyword: str, condition: str) -> str:
    """The condition of a conditional directive, with `#ifdef` and `#ifndef` spelt out."""
    if keyword.endswith("def"):
        return f"{'!' * (keyword.endswith('ndef'))}defined({condition.strip()})"
    return condition


def decided(condition: str, undefined: Collection[str], values: Mapping[str, int]) -> bool | None:
    """Whether the condition holds; None if that depends on more than is known."""
    tokens = [
        (kind, _WORDS.get(match[kind], match[kind]))
        for match in _TOKEN.finditer(condition.replace("\\\n", " ").replace("\\\r\n", " "))
        if (kind := match.lastgroup)
    ]
    if len(tokens) > _MOST_TOKENS or any(kind == "other" for kind, _ in tokens):
        return None
    parser = _Parser(tokens, undefined, values)
    try:
        value = parser.either()
    except ValueError:
        return None
    return None if parser.tokens or value is None else value != 0


class _Parser:
    def __init__(
        self, tokens: list[tuple[str, str]], undefined: Collection[str], values: Mapping[str, int]
    ) -> None:
        self.tokens = tokens[::-1]
        self.undefined = undefined
        self.values = values

    def _next(self) -> str:
        return self.tokens[-1][1] if self.tokens else ""

    def _take(self, *expected: str) -> tuple[str, str]:
        if not self.tokens or (expected and self.tokens[-1][1] not in expected):
            raise ValueError
        return self.tokens.pop()

    def either(self) -> int | None:
        value = self.both()
        while self._next() == "||":
            self._take()
            other = self.both()
            if value or other:
                value = 1
            elif value is not None:
                value = other if other is None else 0
        return value

    def both(self) -> int | None:
        value = self.level(0)
        while self._next() == "&&":
            self._take()
            other = self.level(0)
            if value == 0 or other == 0:
                value = 0
            elif value is not None:
                value = other if other is None else 1
        return value

    def level(self, number: int) -> int | None:
        """Binary operators of one precedence and all that bind tighter."""
        if number == len(_LEVELS):
            return self.unary()
        value = self.level(number + 1)
        while self._next() in _LEVELS[number]:
            apply = _LEVELS[number][self._take()[1]]
            other = self.level(number + 1)
            value = None if value is None or other is None else int(apply(value, other))
        return value

    def unary(self) -> int | None:
        kind, text = self._take()
        if text == "!":
            value = self.unary()
            return None if value is None else int(not value)
        if text == "-":
            value = self.unary()
            return None if value is None else -value
        if text == "(":
            value = self.either()
            self._take(")")
            return value
        if kind == "number":
            digits = text.replace("'", "").rstrip("uUlL")
            return int(digits, 8 if re.fullmatch(r"0[0-7]+", digits) else 0)
        if kind != "name":
            raise ValueError
        if text == "defined":
            return self._defined()
        if self._next() == "(":
            return self._call(text)
        return 0 if text in self.undefined else self.values.get(text)

    def _defined(self) -> int | None:
        has_parenthesis = self._next() == "("
        if has_parenthesis:
            self._take()
        kind, name = self._take()
        if kind != "name":
            raise ValueError
        if has_parenthesis:
            self._take(")")
        if name in self.undefined:
            return 0
        return 1 if name in self.values else None

    def _call(self, name: str) -> int | None:
        """A macro with arguments: without a meaning here, an error where it is undefined.

        One that only asks whether another is set has the value of that.
        """
        self._take("(")
        is_asked = len(self.tokens) > 1 and self.tokens[-2] == ("mark", ")")
        if is_asked and self.tokens[-1][0] == "name" and _ASKING.fullmatch(name):
            asked = self._take()[1]
            self._take(")")
            value = 0 if asked in self.undefined else self.values.get(asked)
            return None if value is None else int(value != 0)
        depth = 1
        while depth:
            text = self._take()[1]
            depth += (text == "(") - (text == ")")
        return None
