"""Types of variables: by a compiler, by the declaration in scope, or by how a file looks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hipport.model import Span
from hipport.source.names.constants import Definition, definitions_in_file
from hipport.source.names.declaring_tokens import may_declare_variable
from hipport.source.names.given_values import values_given
from hipport.source.names.variables import (
    variable,
    variables_declared_by,
    variables_named,
    words_behind_type,
)
from hipport.source.text.brackets import occurrences, skip, skip_back, word_before
from hipport.source.text.required_texts import required
from hipport.source.text.source_text import Code

if TYPE_CHECKING:
    from hipport.source.names.declared_names import Declarations

_BEFORE_DECLARATOR = "*& \t\r\n"


def type_like(declarations: Declarations, name: str, offset: int, shape: str) -> str:
    """The type of the variable used at an offset, if it fits a pattern; else "".

    A compiler's answer comes first, which knows aliases too; else that of the file's own
    declarations. `Variable.type` says how types are spelled.
    """
    known = declarations.meanings.types.get(offset)
    if known is None:
        is_possible = _may_have_type(declarations.code, name, shape)
        found = variable(declarations, name, offset) if is_possible else None
        known = (found.type,) if found else ()
    return next((each for each in known if _fits(each, shape)), "")


def _may_have_type(code: Code, name: str, shape: str) -> bool:
    """Whether something of a name may be declared with one of a few types: most need no parser."""
    types = shape.split("|")
    if not all(map(str.isidentifier, types)):
        return True
    return any(name in words_behind_type(code, each) for each in types)


def member_like(declarations: Declarations, place: Span, owner: str, shape: str) -> str:
    """The same of a member that is named at a place, of a structure that the file defines."""
    known = declarations.meanings.types.get(place.start)
    if known is None:
        found = variables_named(declarations, declarations.code.slice(place))
        known = tuple(each.type for each in found if owner and each.member_of == owner)
    return next((each for each in known if _fits(each, shape)), "")


def is_always(declarations: Declarations, name: str, shape: str) -> bool:
    """Whether the file declares variables of a name, all with types that fit a pattern."""
    found = _types_named(declarations, name)
    return bool(found) and all(_fits(each, shape) for each in found)


def _types_named(declarations: Declarations, name: str) -> frozenset[str]:
    """The types with which the file declares variables of a name, each once."""
    return declarations.code.once(_types_of, declarations, name)


def _types_of(declarations: Declarations, name: str) -> frozenset[str]:
    return frozenset(each.type for each in variables_named(declarations, name))


def _fits(kind: str, shape: str) -> bool:
    return re.fullmatch(shape, kind) is not None or (
        kind.startswith("std::") and re.fullmatch(shape, kind[5:]) is not None
    )


def variables_of(declarations: Declarations, types: Iterable[Span]) -> list[str]:
    """Patterns of the expressions that name a variable declared with one of the types.

    `types` are the places of a type's name; what a variable points to is an expression `*name`.
    """
    found: set[str] = set()
    for place in types:
        kind = declarations.code.slice(place)
        for each in variables_declared_by(declarations, place):
            name = declarations.code.slice(each.name)
            if name and each.type.rstrip("[]") == kind:
                found.add(name)
            elif name and each.type.removeprefix("const ") == f"{kind}*":
                found.add(rf"\*\s*{name}")
    return sorted(found)


def certain_variables(
    declarations: Declarations, types: frozenset[str], variables: list[str]
) -> list[str]:
    """The variables whose names the file declares as nothing else."""
    return [
        variable
        for variable in variables
        if all(
            each.removeprefix("const ").rstrip("*[]") in types
            for each in _types_named(declarations, name_in(variable))
        )
    ]


def name_in(variable: str) -> str:
    """The name itself, of a pattern or of what matched it."""
    return str(re.findall(r"\w+", variable)[-1])


def is_object_of(declarations: Declarations, types: str, functions: str, name: str) -> bool:
    """Whether a name is declared with one of the types, or given what a function returns.

    Pointers to them, arrays and containers of them count too.
    """
    code = declarations.code
    if not (_has_words_of(code, types) or _has_words_of(code, functions)):
        return False
    if _is_plainly(code, types, name):
        return True
    found = _types_named(declarations, name)
    if any(re.search(rf"\b(?:{types})\b", each) for each in found):
        return True
    called = re.compile(rf"\b(?:{functions})\s*\(")
    values = values_given(declarations, name)
    return any(called.search(code.code, *each) for each in values)


def _has_words_of(code: Code, shape: str) -> bool:
    """Whether a text has the words of what fits a pattern, whatever is between them."""
    return all(any(map(code.may_have, choice)) for choice in required(shape))


def _is_plainly(code: Code, types: str, name: str) -> bool:
    """Whether `TYPE name;` is a statement: no parser is needed to see what that declares."""
    text = code.code
    for at in occurrences(text, name):
        word = word_before(text, at)
        before = skip_back(text, word.start)
        is_first = text[before - 1 : before] in (";", "{", "}")
        is_last = text.startswith(";", skip(text, at + len(name)))
        if is_first and is_last and re.fullmatch(types, text[slice(*word)]):
            return True
    return False


def is_only_behind(code: Code, types: str, name: str) -> bool:
    """Whether one of the types is right before a name wherever the tokens allow to declare it.

    No parser is needed to see that it is declared with no other type.
    """
    text = code.code
    for start in occurrences(text, name):
        if code.directive_at(start):
            return False
        if may_declare_variable(text, Span(start, start + len(name))):
            at = start
            while at and text[at - 1] in _BEFORE_DECLARATOR:
                at -= 1
            if not re.fullmatch(types, text[slice(*word_before(text, at))]):
                return False
    return True


def is_template_of(declarations: Declarations, template: str, maker: str, name: str) -> bool:
    """Whether a name is declared with an instance of a template, or made by a template function."""
    code = declarations.code
    return any(
        re.search(rf"\b{template}\s*<.*>\Z", each.type)
        or (each.value and re.search(rf"\b{maker}\s*<", code.slice(each.value)))
        for each in variables_named(declarations, name)
    )


def is_declared_with(declarations: Declarations, name: str, offset: int, word: str) -> bool:
    """Whether the variable used at an offset is declared with a qualifier, such as `volatile`."""
    found = variable(declarations, name, offset)
    return found is not None and word in found.words


def deduced_from(declarations: Declarations, name: str, offset: int) -> list[Definition]:
    """What gives the name used at an offset its type: the value of `auto`, the texts of a macro."""
    code = declarations.code
    found = variable(declarations, name, offset)
    if found is None:
        every = definitions_in_file(code, name)
        return [each for each in every if code.directive_at(each.offset)]
    if found.value is None or found.type.removeprefix("const ") != "auto":
        return []
    return [Definition(code.slice(found.value), found.name.start)]
