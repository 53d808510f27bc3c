"""Types of variables by their nearest declaration, as the text of a file shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hipport.model import Span
from hipport.source.text.brackets import occurrences, skip, skip_back, word_before
from hipport.source.text.quick_search import matches
from hipport.source.text.source_text import IDENTIFIER_PARTS

_BEHIND_DECLARED = frozenset("=;,){[")
_BEFORE_DECLARED = frozenset(" \t\r\n\f\v*&")
_VALUE = re.compile(r"\s+(?:const\s+)?([A-Za-z_]\w*)\s*(?=[=;,){\[])")
_POINTER = re.compile(r"\s*\*\s*([A-Za-z_]\w*)\s*(?=[=;,){])")
_NAME = re.compile(r"[A-Za-z_]\w*")
_DECLARED_NAME = r"(?!(?:long|int|const)\b)([A-Za-z_]\w*)\b(?!\s*\()"
_DEDUCED = re.compile(
    r"\bauto\s+(?:const\s+)?(\w+)\s*=\s*([^;]+);|#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)"
)
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


def always_of(text: str, shape: str) -> set[str]:
    """The names of which all that the file declares are values of types of this shape."""
    found: dict[str, bool] = {}
    for kind, mark, name, end in _DECLARED.findall(text):
        if kind not in (*_NO_TYPES, "case"):
            is_one = bool(re.fullmatch(shape, kind)) and "*" not in mark and end not in "[("
            found[name] = found.get(name, True) and is_one
    return {name for name, is_one in found.items() if is_one}


def member_type(text: str, owner: str, member: str) -> str:
    """The type of a member of a structure that the file defines; "" if it does not."""
    structure = re.search(rf"\b(?:struct|class)\s+{re.escape(owner)}\s*\{{([^{{}}]*)\}}", text)
    shape = rf"(?:^|;|:)\s*(\w+)\s+(?:\w+\s*,\s*)*{member}\s*[,;]"
    match = structure and owner and re.search(shape, structure[1])
    return match[1] if match else ""


def is_declared_as(text: str, types: str, name: str) -> bool:
    """Whether a variable or parameter of the name is declared with one of the types anywhere."""
    shape = rf"\b(?:{types})\s+(?:const\s+)?{re.escape(name)}\b(?!\s*\()"
    return any(matches(shape, text))


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
