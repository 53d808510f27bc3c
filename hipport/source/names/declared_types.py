"""Types of variables by their nearest declaration, as the text of a file shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hipport.model import Span
from hipport.source.text.brackets import occurrences, skip, skip_back
from hipport.source.text.source_text import IDENTIFIER_PARTS

_BEHIND_DECLARED = frozenset("=;,){[")
_VALUE = re.compile(r"\s+(?:const\s+)?([A-Za-z_]\w*)\s*(?=[=;,){\[])")
_POINTER = re.compile(r"\s*\*\s*([A-Za-z_]\w*)\s*(?=[=;,){])")
_NO_TYPES = ("return", "else")
_DECLARED = re.compile(r"\b([A-Za-z_]\w*)(\s[\s*&]*|[*&]\s*)([A-Za-z_]\w*)\s*(?=([=;,)\[({]))")


def declared_type(before: str, name: str) -> str:
    """The type of the last declaration of a variable in a text; "" if there is none."""
    declared = ""
    for at in occurrences(before, name):
        behind = skip(before, at + len(name))
        if before[behind : behind + 1] in _BEHIND_DECLARED:
            declared = _type_before(before, at) or declared
    return declared


def _type_before(text: str, at: int) -> str:
    """The type that ends before a declared name, the last word of it; "" if there is none."""
    end = skip_back(text, at)
    if end == at:
        return ""
    end = skip_back(text, end - 1) if text[end - 1 : end] == "&" else end
    start = end
    while start and (text[start - 1] in IDENTIFIER_PARTS or text[start - 1] == ":"):
        start -= 1
    return text[start:end].lstrip(":")


def variables_of(text: str, types: Iterable[Span]) -> list[str]:
    """Patterns of the expressions that name a variable declared behind one of the types.

    `types` are the places of a type's name; what a variable points to is an expression `*name`.
    """
    places = list(types)
    return sorted(
        {
            mark + match[1]
            for mark, declared in (("", _VALUE), (r"\*\s*", _POINTER))
            for span in places
            if (match := declared.match(text, span.end))
        }
    )


def certain_variables(text: str, types: frozenset[str], variables: list[str]) -> list[str]:
    """Those of the variables of which the file declares nothing else of the same name."""
    own = {*types, *_NO_TYPES}
    shape = r"\b([A-Za-z_]\w*)[\s*&]+{}\b\s*(?=[=;,)\[{{])"
    return [
        each for each in variables if own.issuperset(re.findall(shape.format(name_in(each)), text))
    ]


def name_in(variable: str) -> str:
    """The name itself, of a pattern or of what matched it."""
    return str(re.findall(r"\w+", variable)[-1])


def always_of(text: str, shape: str) -> set[str]:
    """The names of which all that the file declares are values of types of this shape."""
    found: dict[str, bool] = {}
    for kind, mark, name, end in _DECLARED.findall(text):
        if kind not in (*_NO_TYPES, "case"):
            is_one = bool(re.fullmatch(shape, kind)) and "*" not in mark and end not in "[("
            found[name] = found.get(name, True) and is_one
    return {name for name, is_one in found.items() if is_one}
