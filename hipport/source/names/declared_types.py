"""Types of variables: by a compiler, by the declaration in scope, or by how a file looks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hipport.model import Span
from hipport.source.names.variables import variable, variables_named
from hipport.source.text.brackets import occurrences, skip, word_before

if TYPE_CHECKING:
    from hipport.source.names.declared_names import Declarations

_BEHIND_DECLARED = frozenset("=;:,){[")
_BEFORE_DECLARED = frozenset(" \t\r\n\f\v*&")
_VALUE = re.compile(r"\s+(?:const\s+)?([A-Za-z_]\w*)\s*(?=[=;,){\[])")
_POINTER = re.compile(r"\s*\*\s*([A-Za-z_]\w*)\s*(?=[=;,){])")
_NAME = re.compile(r"[A-Za-z_]\w*")
_DECLARED_NAME = r"(?!(?:long|int|const)\b)([A-Za-z_]\w*)\b(?!\s*\()"
_DEDUCED = re.compile(
    r"\bauto\s+(?:const\s+)?(\w+)\s*=\s*([^;]+);|#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)"
)
_NO_TYPES = ("return", "else")


def type_like(declarations: Declarations, name: str, offset: int, shape: str) -> str:
    """What the type of the variable used at an offset is called, if that fits a pattern; else "".

    A compiler's answer comes first, which knows aliases too; else that of the file's own
    declarations. `Variable.type` says how types are spelled.
    """
    known = declarations.meanings.types.get(offset)
    if known is None:
        found = variable(declarations, name, offset)
        known = (found.type,) if found else ()
    return next((each for each in known if _fits(each, shape)), "")


def member_like(declarations: Declarations, place: Span, owner: str, shape: str) -> str:
    """The same of a member that is named at a place, of a structure that the file defines."""
    known = declarations.meanings.types.get(place.start)
    if known is None:
        found = variables_named(declarations, declarations.code.slice(place))
        known = tuple(each.type for each in found if owner and each.member_of == owner)
    return next((each for each in known if _fits(each, shape)), "")


def is_always(declarations: Declarations, name: str, shape: str) -> bool:
    """Whether the file declares variables of a name, all with types that fit a pattern."""
    found = variables_named(declarations, name)
    return bool(found) and all(_fits(each.type, shape) for each in found)


def _fits(kind: str, shape: str) -> bool:
    return re.fullmatch(shape, kind) is not None or (
        kind.startswith("std::") and re.fullmatch(shape, kind[5:]) is not None
    )


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
    return [each for each in variables if own.issuperset(_words_before(text, name_in(each)))]


def _words_before(text: str, name: str) -> Iterator[str]:
    """The words before a name where it may be declared: blanks, `*` and `&` may be between."""
    for at in occurrences(text, name):
        behind = skip(text, at + len(name))
        start = at
        while text[start - 1 : start] in _BEFORE_DECLARED:
            start -= 1
        word = text[slice(*word_before(text, start))]
        if start < at and text[behind : behind + 1] in _BEHIND_DECLARED and _NAME.match(word):
            yield word


def name_in(variable: str) -> str:
    """The name itself, of a pattern or of what matched it."""
    return str(re.findall(r"\w+", variable)[-1])


def is_object_of(text: str, types: str, functions: str, name: str) -> bool:
    """Whether a name is declared with one of the types, or given what a function returns.

    Pointers, arrays, references, and the second of two declared names count too.
    """
    declared = rf"\b(?:{types})\b[^;(){{}}=]*?\b{name}\b\s*(?=[;,=)\[{{(])"
    assigned = rf"\b{name}\s*=[^;]*\b(?:{functions})\s*\("
    return re.search(f"{declared}|{assigned}", text) is not None


def is_template_of(text: str, template: str, maker: str, name: str) -> bool:
    """Whether a name is declared with an instance of a template, or made by a template function."""
    made = rf"\b{name}\s*[=(][^;]*\b{maker}\s*<"
    declared = rf"{template}\s*<[^;<>]*>\s*&?\s*{name}\b"
    return re.search(f"{made}|{declared}", text) is not None


def declared_after(text: str, word: str) -> set[str]:
    """All names in declarations that a word such as `volatile` begins or is in."""
    if word not in text:
        return set()
    found = re.findall(rf"\b{word}\b([^;(){{}}]*)", text)
    return {name for declared in found for name in _NAME.findall(declared.partition("=")[0])}


def names_with_types(text: str, types: str) -> Iterator[str]:
    """The names of variables that are declared with one of the types."""
    for match in re.finditer(rf"(?:{types})\s+(?:int\s+)?(?:const\s+)?{_DECLARED_NAME}", text):
        yield match[match.lastindex or 0]


def deduced(text: str) -> Iterator[tuple[str, str, int]]:
    """Names whose types follow from their values, `auto` and macros: name, value and place."""
    for match in _DEDUCED.finditer(text):
        yield match[1] or match[3], match[2] or match[4], match.start()
