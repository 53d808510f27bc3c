"""Declarations that are found in a text by searching it, not by parsing it.

All headers of a tree are searched before any file of it is converted, and few have what is wanted:
parsing every one of them would take most of the time of a run. In a file that is parsed anyway,
`declared_names` and `variables` answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.words import DeviceCode
from hipport.source.text.brackets import (
    closing_brace,
    closing_bracket,
    occurrences,
    opening_bracket,
    skip,
    skip_back,
    word_before,
)
from hipport.source.text.source_text import Code

# Macros, namespaces, types, values of an enumeration: nothing else has a value at the beginning of
# a line; and functions whose return type begins one.
_DECLARED = regex(
    r"^[ \t]*(?:(?:#[ \t]*define|namespace|(?:typedef[ \t]+)?(?:class|struct|enum|union))[ \t]+"
    r"(\w+)"
    r"|typedef[ \t]+[\w \t*]{1,200}?\b(\w+)[ \t]*;"
    r"|\}[ \t]*(\w+)[ \t]*;"
    r"|(\w+)[ \t]*=[ \t]*[\w-]+,?)"
    r"|^(?:\w+[ \t*]+){1,4}(\w+)[ \t]*\(",
    re.MULTILINE,
)
_END_OR_BODY = regex(r"[;{}]")
_MACRO = regex(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^()\n]*\))?(?:[ \t]+(\w+))?", re.MULTILINE)
_DEFINED = regex(
    r"#[ \t]*define[ \t]+(?P<macro>\w+)"
    r"|\b(?:constexpr|const|enum|static)\b[^;(){}=\n]*?\b(?P<constant>\w+)\s*[={]"
)
_BODY = regex(r"\)\s*(?:const\s*|noexcept\s*)*\{")
_BEFORE_NAMES = frozenset(":*&>~_")
_REACH = 256
FEW = 20
"""Names that are looked for one by one: of more, all words of a text are looked at."""
# Bytes beyond ASCII are letters: `IDENTIFIER_PARTS` says why.
_BEFORE_PARENTHESES = regex(r"[\w\x80-\xff]+(?=[ \t\r\n\f\v\\]*\()")
"""How far the body is looked for behind the parameters."""


class Defined(NamedTuple):
    """A macro or a constant that a text defines, and where its definition begins."""

    name: str
    offset: int
    is_macro: bool


class Body(NamedTuple):
    """A function with a body: its name, and where that is."""

    name: str
    offset: int
    inside: Span


class Attributeless(msgspec.Struct, frozen=True):
    """A definition in CUDA code without attributes that a header of the tree declares it with."""

    name: Span
    start: int
    """Where the definition begins."""
    words: str
    """The attributes to write there; "" where it is not certain that the header means it."""
    header: str


def names_declared(text: str) -> set[str]:
    """The names of macros, namespaces, types, enumerators and functions that a text declares."""
    return {name for names in _DECLARED.findall(text) for name in names if name}


def macros_defined(text: str) -> Iterator[tuple[str, str, int]]:
    """The macros of a text: name, the word that is the value or "", and the name's offset."""
    for match in _MACRO.finditer(text):
        yield match[1], match[2] or "", match.start(1)


def definitions_of(code: Code, names: Collection[str]) -> Iterator[Defined]:
    """The definitions of the names as macros or constants; few lines have one of them."""
    text, end = code.code, 0
    for at in sorted(at for name in names for at in occurrences(text, name)):
        if at < end:
            continue  # On the line before it.
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at) + 1 or len(text)
        # What follows a name may begin the next line.
        for match in _DEFINED.finditer(text, start, text.find("\n", end) + 1 or len(text)):
            name = match["macro"] or match["constant"]
            if match.start() < end and name in names:
                yield Defined(name, match.start(), match["macro"] is not None)


@lru_cache(maxsize=2)
def function_bodies(code: Code) -> list[Body]:
    """The functions that a text defines, in order; not those inside others."""
    text = code.code
    found = []
    body = _BODY.search(text)
    while body:
        opened = opening_bracket(text, body.start())
        end = closing_brace(text, body.end() - 1) or body.end()
        if opened is not None:
            name = word_before(text, skip_back(text, opened))
            found.append(Body(text[slice(*name)], name.start, Span(body.end(), end)))
        body = _BODY.search(text, end)
    return found


def device_functions_declared(
    text: str, words: DeviceCode, macros: frozenset[str] = frozenset()
) -> list[str]:
    """The names of functions that a text declares for the device: few files define them apart.

    `macros` are those that stand for the attributes.
    """
    marks = "|".join((device_keyword(words), *sorted(macros)))
    name = r"(operator(?:\(\)|[^\w\s()]{1,3})|~?\w+)"
    shape = re.compile(rf"(?:{marks})[^;{{}}()=]*?{name}\s*\([^;{{}}]*\)[^;{{}}()]*;")
    found: set[str] = set()
    done = 0
    for mark in re.finditer(marks, text):
        # A definition has its body where a declaration ends.
        end = _END_OR_BODY.search(text, mark.end()) if mark.start() >= done else None
        match = shape.match(text, mark.start()) if end and end[0] == ";" else None
        if match:
            found.add(match[1])
            done = match.end()
    return sorted(found)


def attribute_macros(data: bytes, words: DeviceCode) -> set[str]:
    """The macros of a text that stand for attributes of functions only for the device."""
    keywords = (words.host_keyword, device_keyword(words))
    if keywords[1].encode() not in data or b"define" not in data:
        return set()
    one = f"(?:{'|'.join(keywords)})"
    shape = rf"#[ \t]*define[ \t]+(\w+)[ \t]+({one}(?:[ \t]+{one})*)[ \t]*\r?$"
    found = re.findall(shape.encode(), data, re.MULTILINE)
    return {name.decode() for name, body in found if keywords[1].encode() in body.split()}


def is_before_parentheses(text: str, name: str) -> bool:
    """Whether a name comes before parentheses, or a comment that may come before them."""
    ends = (at + len(name) for at in occurrences(text, name))
    return any(text.startswith(("(", "/"), skip(text, end)) for end in ends)


def defined_in(code: str, names: Collection[str]) -> set[str]:
    """Those of the names that come before parentheses and a body, as in no call."""
    if len(names) <= FEW:
        return {each for each in names if _is_defined(code, each, occurrences(code, each))}
    # In one pass: a text of thousands of functions would be searched as often.
    places: dict[str, list[int]] = {each: [] for each in names}
    for match in _BEFORE_PARENTHESES.finditer(code):
        if match[0] in places:
            places[match[0]].append(match.start())
    for each in (name for name in names if not name.isidentifier()):
        places[each] = list(occurrences(code, each))  # `operator+`
    return {each for each, its_places in places.items() if _is_defined(code, each, its_places)}


def _is_defined(code: str, name: str, places: Iterable[int]) -> bool:
    for at in places:
        opened = skip(code, at + len(name))
        if not code.startswith("(", opened):
            continue
        last = code[max(0, at - _REACH) : at].rstrip()[-1:]
        if not (last.isalnum() or last in _BEFORE_NAMES):
            continue
        closed = closing_bracket(code, opened)
        if closed and "{" in code[closed : closed + _REACH].partition(";")[0]:
            return True
    return False


def device_keyword(words: DeviceCode) -> str:
    """The keyword of functions that run on devices and are called there."""
    return next(each for each in words.function_keywords if "device" in each)
