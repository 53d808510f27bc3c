"""Which names a C++ file declares itself, and where each declaration reaches."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.languages.cuda_syntax import PARSER, macro_as_function
from hipport.source.languages.kept_trees import parse
from hipport.source.names.declaring_tokens import BUILT_IN, may_declare
from hipport.source.names.semantics import NO_MEANINGS, Meanings
from hipport.source.names.tree_path import TreePath
from hipport.source.text.brackets import (
    skip,
    skip_back,
    word_before,
)
from hipport.source.text.directives import Directive
from hipport.source.text.function_texts import function_around
from hipport.source.text.source_text import Code

_MACRO = regex(r"\s*(\w+)(?:[ \t][^;]*;.*|[ \t]*)\s*", re.DOTALL)
_DECLARATORS = frozenset(
    "pointer_declarator reference_declarator array_declarator function_declarator init_declarator"
    " parenthesized_declarator attributed_declarator structured_binding_declarator".split()
)
_DECLARATIONS = frozenset(
    "declaration field_declaration parameter_declaration optional_parameter_declaration"
    " function_definition type_definition for_range_loop lambda_capture_initializer".split()
)
_NAMED = frozenset(
    "struct_specifier class_specifier union_specifier enum_specifier namespace_definition"
    " alias_declaration enumerator type_parameter_declaration namespace_alias_definition".split()
)
_PARAMETERS = frozenset(
    "parameter_declaration optional_parameter_declaration type_parameter_declaration"
    " optional_type_parameter_declaration".split()
)
_OF_PARAMETERS = frozenset(
    "function_definition lambda_expression template_declaration declaration".split()
)
_SCOPES = frozenset(
    "compound_statement field_declaration_list declaration_list for_statement".split()
)

_Found = TypeVar("_Found")


class _Around(NamedTuple):
    """What is around a node: the innermost of each kind."""

    function: tree_sitter.Node | None = None
    """What the parameters in it are visible in."""
    scope: tree_sitter.Node | None = None
    enumeration: tree_sitter.Node | None = None
    """The list of enumerators within the scope."""


class Declarations:
    """Finds the declarations of names in one file; parses it when the first one may be one."""

    def __init__(
        self,
        code: Code,
        meanings: Meanings = NO_MEANINGS,
        is_left_out: Callable[[int], bool] = lambda _: False,
        is_type: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.code, self.meanings = code, meanings
        self.is_left_out = is_left_out
        """Whether no HIP build compiles what is at an offset."""
        self.is_type = is_type
        """Whether a name is that of a type of CUDA's or HIP's."""
        self._macros: dict[int, tree_sitter.Node] = {}
        self._found: dict[tuple[object, str], Any] = {}
        self._of_functions: dict[int, Declarations] = {}

    def once(self, find: Callable[[Declarations, str], _Found], name: str) -> _Found:
        """What a function finds about a name in this file; it looks once."""
        if (find, name) not in self._found:
            self._found[find, name] = find(self, name)
        found: _Found = self._found[find, name]
        return found

    @cached_property
    def root(self) -> tree_sitter.Node:
        return parse(self.code.data).root_node

    @property
    def is_parsed(self) -> bool:
        """Whether the file was parsed: asking for a node of it takes no time then."""
        return "root" in self.__dict__

    def of_function_around(self, offset: int) -> tuple[Declarations, int] | None:
        """What the function around an offset declares, by its text alone, and where it begins.

        None where the file was parsed already, or the text alone has errors.
        """
        span = None if self.is_parsed else function_around(self.code.code, offset)
        if span is None:
            return None
        if span.start not in self._of_functions:
            self._of_functions[span.start] = self._of_part(span)
        found = self._of_functions[span.start]
        return None if found.root.has_error else (found, span.start)

    def _of_part(self, span: Span) -> Declarations:
        return Declarations(
            Code(self.code.data[slice(*span)]),
            self.meanings,
            lambda offset: self.is_left_out(span.start + offset),
            self.is_type,
        )

    def scope(self, name: Span) -> list[Span] | None:
        """Where the declaration at this name reaches; None if nothing is declared there."""
        directive = self.code.directive_at(name.start)
        if directive is not None:
            if directive.keyword not in ("define", "undef"):
                return None
            return self._macro_scope(directive, name)
        if self._is_label(name):
            return [Span(0, len(self.code.data))]
        if not self.may_declare(name):
            return None
        node = self.root.named_descendant_for_byte_range(name.start, name.end)
        if node is None or node.start_byte != name.start:
            return None
        declared = _declaration_of(node)
        if declared is None:
            return [Span(0, len(self.code.data))] if self._has_built_in_type(name) else None
        return self.reach(declared)

    def _has_built_in_type(self, name: Span) -> bool:
        """Whether a word like `int` is before it, and `(` behind: no expression has such a call.

        A macro in place of the body leaves no declaration in the tree.
        """
        text = self.code.code
        word = text[slice(*word_before(text, skip_back(text, name.start)))]
        return word in BUILT_IN and text.startswith("(", skip(text, name.end))

    def node_at(self, name: Span) -> tree_sitter.Node | None:
        """The node of a name; in a macro's text that of the text alone, as of a function's body."""
        root = self.root_at(name.start)
        return root.named_descendant_for_byte_range(name.start, name.end) if root else None

    def root_at(self, offset: int) -> tree_sitter.Node | None:
        """The tree that an offset is in: the file's, or that of a macro's text."""
        directive = self.code.directive_at(offset)
        if directive is None:
            return self.root
        if directive.keyword != "define":
            return None
        root = self._macros.get(directive.span.start)
        if root is None:
            data = macro_as_function(self.code, directive)
            root = self._macros[directive.span.start] = PARSER.parse(data).root_node
        return root

    def declaration_at(self, name: Span) -> tree_sitter.Node | None:
        """The declaration that gives a name its meaning; None where it is only used."""
        node = self.node_at(name)
        return _declaration_of(node) if node and node.start_byte == name.start else None

    def is_outermost(self, name: Span) -> bool:
        """Whether the namespace defined at this name is in no other."""
        node = self.root.named_descendant_for_byte_range(name.start, name.end)
        depth = 0
        while node is not None:
            depth += node.type == "namespace_definition"
            node = node.parent
        return depth == 1

    def _macro_scope(self, directive: Directive, name: Span) -> list[Span] | None:
        """A macro's name reaches the whole file, a parameter the macro's own text."""
        before = self.code.code[directive.body.start : name.start].strip(" \t\\\r\n")
        if not before:
            return [Span(0, len(self.code.data))]
        return [directive.span] if re.fullmatch(r"\w+\([^()]*", before) else None

    def _is_label(self, name: Span) -> bool:
        """Whether the name is a label: `done:` at the beginning of a statement."""
        text = self.code.code
        after = skip(text, name.end)
        before = skip_back(text, name.start)
        return (
            text.startswith(":", after)
            and not text.startswith("::", after)
            and text[before - 1 : before] in (";", "{", "}")
        )

    def may_declare(self, name: Span) -> bool:
        """Whether the tokens around a name allow a declaration there: most uses need no parsing."""
        return may_declare(self.code.code, name, self.statement_macros, self.is_type)

    @cached_property
    def statement_macros(self) -> frozenset[str]:
        """Macros of the file without parameters that are nothing, or whole statements."""
        found = (
            _MACRO.fullmatch(self.code.slice(each.body))
            for each in self.code.directives
            if each.keyword == "define"
        )
        return frozenset(match[1] for match in found if match)

    def reach(self, declared: tree_sitter.Node) -> list[Span]:
        """Where the name that a declaration declares is visible."""
        around = self._around.said_at(_span(declared))
        if declared.type in _PARAMETERS:
            return [_span(around.function or declared)]
        if declared.type == "for_range_loop":
            return [_span(declared)]
        if declared.type == "lambda_capture_initializer":
            node = declared.parent and declared.parent.parent
            return [_span(node)] if node else []
        if around.enumeration and _is_scoped(around.enumeration):
            return [_span(around.enumeration)]
        if around.scope is None:
            return [Span(0, len(self.code.data))]
        if around.scope.type == "declaration_list":
            return self._namespace(around.scope)
        return [_span(around.scope)]

    @cached_property
    def _around(self) -> TreePath[_Around]:
        return TreePath(self.root, _Around(), _enter)

    def _namespace(self, body: tree_sitter.Node) -> list[Span]:
        """All bodies of the namespace; `extern "C" {}` and unnamed ones reach the whole file."""
        owner = body.parent
        name = owner.child_by_field_name("name") if owner else None
        if name is None or name.text is None:
            return [Span(0, len(self.code.data))]
        return self._namespaces.get(name.text, [])

    @cached_property
    def _namespaces(self) -> dict[bytes, list[Span]]:
        """The name of each namespace -> its bodies."""
        found: dict[bytes, list[Span]] = {}
        for match in re.finditer(rb"\bnamespace\s+([\w:\s]+?)\s*\{", self.code.data):
            node = self.root.named_descendant_for_byte_range(match.end() - 1, match.end())
            if node and node.type == "declaration_list":
                found.setdefault(match[1], []).append(Span(node.start_byte, node.end_byte))
        return found


def _enter(parent: tree_sitter.Node, _: tree_sitter.Node, __: str, around: _Around) -> _Around:
    if parent.type in _OF_PARAMETERS:
        return around._replace(function=parent)
    if parent.type in _SCOPES:
        return around._replace(scope=parent, enumeration=None)
    return around._replace(enumeration=parent) if parent.type == "enumerator_list" else around


def _is_scoped(enumeration: tree_sitter.Node) -> bool:
    """Whether it is that of an `enum class`."""
    children = enumeration.parent.children if enumeration.parent else ()
    return any(child.type in ("class", "struct") for child in children)


def _span(node: tree_sitter.Node) -> Span:
    return Span(node.start_byte, node.end_byte)


def _declaration_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The declaration that gives the name at `node` its meaning; None where it is only used."""
    parent = node.parent
    child = node
    while parent and parent.type in _DECLARATORS:
        if (
            parent.type != "structured_binding_declarator"
            and parent.child_by_field_name("declarator") != child
            and child not in parent.named_children[:1]
        ):
            return None
        if parent.type == "init_declarator" and parent.child_by_field_name("declarator") != child:
            return None
        child, parent = parent, parent.parent
    if parent is None:
        return None
    if parent.type in _DECLARATIONS:
        if parent.type == "lambda_capture_initializer":
            return parent if child == parent.child_by_field_name("left") else None
        if child not in parent.children_by_field_name("declarator"):
            return None
        return None if _renames_own_tag(parent, node) else parent
    if parent.type in _NAMED and child == (
        parent.child_by_field_name("name") or parent.named_children[0]
    ):
        if parent.type.endswith("_specifier") and parent.child_by_field_name("body") is None:
            return None
        return parent
    return None


def _renames_own_tag(declaration: tree_sitter.Node, name: tree_sitter.Node) -> bool:
    """Whether this is `typedef struct CUstream_st *cudaStream_t;`: the API's own declaration."""
    if declaration.type != "type_definition":
        return False
    specifier = declaration.child_by_field_name("type")
    return (
        specifier is not None
        and specifier.type == "struct_specifier"
        and specifier.child_by_field_name("body") is None
        and (specifier.text or b"").endswith(b"_st")
    )
