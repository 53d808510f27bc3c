"""Functions that a file declares and defines, as its syntax tree says."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import tree_sitter

from hipport.model import Span
from hipport.source.names.declared_names import Declarations
from hipport.source.names.declaring_tokens import may_declare_variable
from hipport.source.names.qualified_names import qualified
from hipport.source.names.variables import parameters
from hipport.source.text.brackets import occurrences, skip, skip_back
from hipport.source.text.source_text import Code

_DECLARATIONS = frozenset(("declaration", "field_declaration"))
_SCOPES = frozenset(
    ("namespace_definition", "class_specifier", "struct_specifier", "union_specifier")
)
_AROUND_NAMES = frozenset(("qualified_identifier", "template_function"))
_AROUND_DECLARATORS = frozenset(("pointer_declarator", "reference_declarator"))


class Signature(msgspec.Struct, frozen=True):
    """What distinguishes functions of one file; `owner` is the class, "" for none."""

    owner: str
    name: str
    types: tuple[str, ...]


class DeclaredFunction(msgspec.Struct, frozen=True):
    """A declaration or definition. It begins at `start`, behind the parameters of a template."""

    signature: Signature
    name: Span
    start: int
    is_definition: bool
    path: tuple[str, ...]
    """The namespaces and classes that it is in, from outside in."""


def functions_named(declarations: Declarations, name: str) -> tuple[DeclaredFunction, ...]:
    """The functions of a name that the file declares or defines, in order."""
    return declarations.code.once(_functions_named, declarations, name)


def may_declare_function(code: Code, name: str) -> bool:
    """Whether the tokens around any use of a name allow a function's declaration there."""
    return any(
        _may_declare_at(code.code, Span(at, at + len(name))) for at in occurrences(code.code, name)
    )


def _may_declare_at(text: str, name: Span) -> bool:
    start = qualified(text, name).start
    # The qualifier may be a class with arguments: `Pair<T>::`.
    is_member = text.endswith("::", 0, skip_back(text, start))
    return is_member or may_declare_variable(text, Span(start, name.end))


def _functions_named(declarations: Declarations, name: str) -> tuple[DeclaredFunction, ...]:
    return tuple(_found(declarations, name))


def _found(declarations: Declarations, name: str) -> Iterator[DeclaredFunction]:
    code = declarations.code
    for at in occurrences(code.code, name):
        span = Span(at, at + len(name))
        if not code.code.startswith("(", skip(code.code, span.end)) or code.directive_at(at):
            continue
        found = _declared_at(declarations, span)
        inside = found[1].child_by_field_name("parameters") if found else None
        if found is None or inside is None:
            continue
        whole, _, owner = found
        given = parameters(code.code[inside.start_byte + 1 : inside.end_byte - 1])
        signature = Signature(owner, name, tuple(each.type for each in given))
        is_definition = whole.type == "function_definition"
        path = (*_around(whole), *_qualifiers(found[1]))
        yield DeclaredFunction(signature, span, whole.start_byte, is_definition, path)


def _declared_at(
    declarations: Declarations, name: Span
) -> tuple[tree_sitter.Node, tree_sitter.Node, str] | None:
    """The declaration of a function at its name, its declarator, and its class; None for a use."""
    node = declarations.node_at(name)
    owner = ""
    while node and node.parent and node.parent.type in _AROUND_NAMES:
        node = node.parent
        owner = owner or _last_word(node.child_by_field_name("scope"))
    declarator = node.parent if node else None
    if declarator is None or declarator.type != "function_declarator":
        return None
    if declarator.child_by_field_name("declarator") != node:
        return None
    whole = declarator.parent
    while whole and whole.type in _AROUND_DECLARATORS:
        whole = whole.parent
    if whole is None or whole.type not in (*_DECLARATIONS, "function_definition"):
        return None
    body = whole.parent
    # An include guard is a conditional around all of a header.
    while body and (body.type == "template_declaration" or body.type.startswith("preproc_")):
        body = body.parent
    if body and body.type == "field_declaration_list":
        owner = _last_word(body.parent.child_by_field_name("name") if body.parent else None)
    elif body is None or body.type not in ("translation_unit", "declaration_list"):
        return None
    return whole, declarator, owner


def _last_word(node: tree_sitter.Node | None) -> str:
    """The name of a class without its template's arguments."""
    if node and node.type == "template_type":
        node = node.child_by_field_name("name")
    return (node.text or b"").decode("latin-1") if node else ""


def _around(whole: tree_sitter.Node) -> list[str]:
    """The namespaces and classes around a declaration."""
    found: list[str] = []
    node = whole.parent
    while node:
        if node.type in _SCOPES:
            name = node.child_by_field_name("name")
            found[:0] = _last_word(name).replace(" ", "").split("::") if name else [""]
        node = node.parent
    return found


def _qualifiers(declarator: tree_sitter.Node) -> list[str]:
    """The scopes that a declarator's name is written with."""
    found = []
    node = declarator.child_by_field_name("declarator")
    while node and node.type == "qualified_identifier":
        scope = node.child_by_field_name("scope")
        found += [_last_word(scope)] if scope else []
        node = node.child_by_field_name("name")
    return found
