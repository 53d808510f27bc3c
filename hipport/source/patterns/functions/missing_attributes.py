"""Functions that are defined without the `__host__ __device__` that they are declared with.

nvcc takes a definition to have what its declaration has. To clang it is another function, for the
host alone, which may not overload the declared one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.source.names.variables import parameters
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip

_RULE = "missing-attributes"
_DECLARATIONS = frozenset(("declaration", "field_declaration"))
_AROUND_NAMES = frozenset(("qualified_identifier", "template_function"))
_AROUND_DECLARATORS = frozenset(("pointer_declarator", "reference_declarator"))


class _Signature(NamedTuple):
    """What tells functions of one file apart; `owner` is the class, "" for none."""

    owner: str
    name: str
    types: tuple[str, ...]


class _Function(NamedTuple):
    signature: _Signature
    name: Span
    start: int
    attributes: frozenset[str]
    is_definition: bool


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write the attributes before each definition that lacks those of all its declarations."""
    words = unit.rules.device_code
    device = next(each for each in words.function_keywords if "device" in each)
    both = frozenset((words.host_keyword, device))
    declared = rf"{device}[^;{{}}()=]*?(\w+)\s*\([^;{{}}]*\)[^;{{}}()]*;"
    names = set(re.findall(declared, unit.code.code))
    functions = [each for name in sorted(names) for each in _functions(unit, name, both)]
    wanted: dict[_Signature, set[frozenset[str]]] = {}
    for each in functions:
        if not each.is_definition:
            wanted.setdefault(each.signature, set()).add(each.attributes)
    for each in functions:
        if each.is_definition and not each.attributes and wanted.get(each.signature) == {both}:
            new = f"{words.host_keyword} {device} "
            rewrite(unit, _RULE, [(Span(each.start, each.start), new)], [each.name])


def _functions(unit: Unit, name: str, attributes: frozenset[str]) -> Iterator[_Function]:
    """The functions of a name that the file declares or defines."""
    text = unit.code.code
    for at in occurrences(text, name):
        span = Span(at, at + len(name))
        if not text.startswith("(", skip(text, span.end)) or unit.code.directive_at(at):
            continue
        found = _declared_at(unit, span)
        if found is None:
            continue
        whole, declarator, owner = found
        inside = declarator.child_by_field_name("parameters")
        if inside is None:
            continue
        given = parameters(text[inside.start_byte + 1 : inside.end_byte - 1])
        words = frozenset(text[whole.start_byte : at].split()) & attributes
        signature = _Signature(owner, name, tuple(each.type for each in given))
        is_definition = whole.type == "function_definition"
        yield _Function(signature, span, whole.start_byte, words, is_definition)


def _declared_at(unit: Unit, name: Span) -> tuple[tree_sitter.Node, tree_sitter.Node, str] | None:
    """The declaration of a function at its name, its declarator, and its class; None for a use."""
    node = unit.declarations.node_at(name)
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
    if body and body.type == "template_declaration":
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
