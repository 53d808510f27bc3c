"""Demangled names of kernels, taken apart.

`void ns::k<float, 4>(float const*, int)`: a template's function has its result before its name
(Itanium C++ ABI, 5.1.5.3 "Function types"), others have not.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.trace.model import Name
from hipport.trace.written_names import split_list, template_end

UNNAMED = "(anonymous namespace)"
_ARGUMENTS = r"<((?:[^<>]++|<(?:[^<>]++|<[^<>]*+>)*+>)*+)>"
_NAME = rf"(?:void )?((?:[A-Za-z_]\w*+::)*+)([A-Za-z_]\w*+)(?:{_ARGUMENTS})?"
# Most names are like this, without a template or an unnamed namespace.
_PLAIN = regex(_NAME, re.ASCII)
_PLAIN_FUNCTION = regex(rf"{_NAME}\(([^()]*+)\)", re.ASCII)
_BRACKET = regex(r"[()\[\]{}]")
_CLONE = regex(r"\s*[\[(](?:clone\s+)?\.[^\])]*[\])]\Z")


class ReadableName(NamedTuple):
    """A demangled name in its parts."""

    name: Name
    parameters: tuple[str, ...] | None
    """The types of its parameters; None for a name that is not mangled."""


def parse_readable(text: str) -> ReadableName:
    """The parts of a demangled name; one that cannot be split is all name."""
    plain = _PLAIN_FUNCTION.fullmatch(text)
    if plain:
        return ReadableName(_plain_name(plain), _items("" if plain[4] == "void" else plain[4]))
    text = _CLONE.sub("", text) if text.endswith(("]", ")")) and "." in text else text
    opened = _parameters_at(text)
    if opened is None:
        return ReadableName(_parts(text), None)
    parameters = _items(text[opened + 1 : -1])
    return ReadableName(_parts(text[:opened]), () if parameters == ("void",) else parameters)


@lru_cache(maxsize=4096)
def _items(text: str) -> tuple[str, ...]:
    """The items of a list, cached: most kernels share theirs with others."""
    return tuple(split_list(text))


def _parameters_at(text: str) -> int | None:
    """Where the list of parameters begins: the last parenthesis outside all brackets."""
    if not text.endswith(")"):
        return None
    if text.count("(") == 1:
        return text.index("(")
    depth = 0
    for match in reversed(list(_BRACKET.finditer(text))):
        depth += 1 if match[0] in ")]}" else -1
        if depth == 0:
            return match.start()
    return None


def _parts(text: str) -> Name:
    plain = _PLAIN.fullmatch(text)
    return _plain_name(plain) if plain else _long_parts(text)


def _plain_name(match: re.Match[str]) -> Name:
    scope, last, arguments = match.group(1, 2, 3)
    return Name(_scope(scope), last, None if arguments is None else _items(arguments))


@lru_cache(maxsize=4096)
def _scope(text: str) -> tuple[str, ...]:
    return tuple(text.split("::")[:-1])


def _long_parts(text: str) -> Name:
    """The same for names with templates or unnamed namespaces around them."""
    scope: list[str] = []
    at = 0
    arguments: tuple[str, ...] | None = None
    word = ""
    while at < len(text):
        if text.startswith(UNNAMED, at):
            word, arguments = "", None
            at += len(UNNAMED)
        elif text.startswith("::", at):
            scope.append(word)
            word, arguments = "", None
            at += 2
        elif text[at] == "<":
            end = template_end(text, at)
            if end is None:
                return Name(tuple(scope), word + text[at:], arguments)
            arguments = _items(text[at + 1 : end - 1])
            at = end
        elif text[at] == " ":
            # What came before was the type of the result.
            scope, word, arguments = [], "", None
            at += 1
        else:
            word += text[at]
            at += 1
    return Name(tuple(scope), word, arguments)
