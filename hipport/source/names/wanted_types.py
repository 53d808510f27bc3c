"""The type that the place of an expression wants: of a variable, parameter, member or result."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.names.declared_functions import functions_named
from hipport.source.names.declared_names import Declarations
from hipport.source.names.variables import (
    Variable,
    span_of,
    variable,
    variable_at,
    variables_named,
)
from hipport.source.text.brackets import occurrences, skip
from hipport.source.text.source_text import Code

_CLASSES = frozenset(("struct_specifier", "class_specifier"))
_CASTS = frozenset(("static_cast", "reinterpret_cast"))
_NAMES = frozenset(("identifier", "field_identifier"))


def uses_of(declarations: Declarations, name: str) -> Iterator[tuple[Span, tree_sitter.Node]]:
    """Each use of a name as a whole, and its node."""
    for span in whole_uses(declarations.code, name):
        if node := _node(declarations, span):
            yield span, node


def whole_uses(code: Code, name: str) -> Iterator[Span]:
    """Where code has a name as a whole, not a member of what it names; that needs no parser."""
    text = code.code
    for at in occurrences(text, name):
        span = Span(at, at + len(name))
        if not text.startswith(".", skip(text, span.end)):
            yield span


def wanted_of(declarations: Declarations, expression: tree_sitter.Node) -> str:
    """The type that the place of an expression wants, as `Variable.type` spells it.

    "" where the file does not say.
    """
    return _Places(declarations).wanted(expression)


def wanted_of_calls(declarations: Declarations, function: str) -> Iterator[tuple[Span, str]]:
    """The name in each call of a function, with the type that is wanted of what it returns.

    The type of a choice `a ? f() : f()` between such calls is wanted of both.
    """
    for node in _called(declarations, function):
        value, place = node.parent, node.parent.parent if node.parent else None
        if value is None or value.type != "call_expression":
            continue
        while value and place and place.type == "conditional_expression":
            every = [place.child_by_field_name(each) for each in ("consequence", "alternative")]
            functions = [each.child_by_field_name("function") if each else None for each in every]
            is_all = all(each and each.text == function.encode() for each in functions)
            value, place = (place, place.parent) if is_all else (None, None)
        if value:
            yield span_of(node), _Places(declarations).wanted(value)


def wanted_in_braces(declarations: Declarations, function: str) -> Iterator[tuple[Span, str]]:
    """The same for each call that is a value on its own in the braces of a variable."""
    for node in _called(declarations, function):
        call = node.parent
        outer = call.parent if call and call.type == "call_expression" else None
        while outer and outer.type == "initializer_list" and outer.parent:
            outer = outer.parent
            if call and outer.type == "init_declarator":
                yield span_of(node), _Places(declarations).wanted(call)


def _called(declarations: Declarations, function: str) -> Iterator[tree_sitter.Node]:
    """A function's name wherever brackets follow it: only there is the file parsed."""
    text = declarations.code.code
    for at in occurrences(text, function):
        name = Span(at, at + len(function))
        if text.startswith("(", skip(text, name.end)) and (node := _node(declarations, name)):
            yield node


def _node(declarations: Declarations, name: Span) -> tree_sitter.Node | None:
    node = declarations.node_at(name)
    is_name = node and node.type in ("identifier", "type_identifier")
    return node if node and is_name and node.start_byte == name.start else None


def members_of(declarations: Declarations, kind: str) -> list[Variable]:
    """The members of an aggregate that the file defines, in order; none of any other class."""
    return _Places(declarations).members(kind) or []


class _Parameter(NamedTuple):
    """A parameter of the functions of a name that take at least so many arguments."""

    function: str
    number: int
    given: int


def _types_of_parameter(declarations: Declarations, parameter: _Parameter) -> frozenset[str]:
    """The types that the file's functions give it; "" of one that does not have it."""
    name, index, given = parameter
    return frozenset(
        each.signature.types[index] if index < len(each.signature.types) else ""
        for each in functions_named(declarations, name)
        if len(each.signature.types) >= given
    )


class _Places:
    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations

    def wanted(self, expression: tree_sitter.Node) -> str:
        place = expression.parent
        while place and place.type == "parenthesized_expression":
            expression, place = place, place.parent
        if place is None:
            return ""
        if place.type == "init_declarator":
            is_value = place.child_by_field_name("value") == expression
            return self._of_declarator(place) if is_value else ""
        if place.type in ("argument_list", "initializer_list"):
            values = [each for each in place.named_children if each.type != "comment"]
            index = values.index(expression)
            if place.type == "argument_list":
                return self._of_argument(place, index, len(values))
            return self._of_element(self._of_list(place), index, len(values))
        if place.type == "assignment_expression":
            left = place.child_by_field_name("left")
            is_plain = any(each.type == "=" for each in place.children)
            is_value = place.child_by_field_name("right") == expression
            return self._of_expression(left) if left and is_plain and is_value else ""
        if place.type == "optional_parameter_declaration":
            return self._of_declarator(place)
        if place.type == "cast_expression":
            kind = place.child_by_field_name("type")
            return _text(kind) if kind else ""
        if place.type == "return_statement":
            return _result(place)
        return self._in_parentheses(expression, place)

    def _of_list(self, braces: tree_sitter.Node) -> str:
        """The type of what a list in braces makes."""
        place = braces.parent
        if place and place.type == "compound_literal_expression":
            kind = place.child_by_field_name("type")
            return _text(kind) if kind else ""
        if place and place.type == "field_initializer":
            return self._of_member(place)
        return self.wanted(braces)

    def _of_element(self, kind: str, index: int, count: int) -> str:
        """The type of one of the values in braces, of an array, a structure, or the value alone."""
        if kind.endswith("[]"):
            # The first brackets are the outermost: `int[2][3]` is `int[][]`.
            return kind[:-2]
        members = self._members(kind) if kind.isidentifier() else None
        if members is None:
            return kind if count == 1 else ""
        return members[index] if index < len(members) else ""

    def _of_argument(self, arguments: tree_sitter.Node, index: int, count: int) -> str:
        called = arguments.parent
        if called is None:
            return ""
        if called.type == "init_declarator":
            return self._of_declarator(called) if count == 1 else ""
        if called.type == "field_initializer":
            return self._of_member(called) if count == 1 else ""
        function = called.child_by_field_name("function")
        if called.type != "call_expression" or function is None:
            return ""
        if function.type == "template_function" and _last_name(function) in _CASTS:
            given = function.child_by_field_name("arguments")
            return _text(given).strip("<> ") if given else ""
        name = _last_name(function)
        place = _Parameter(name, index, count)
        kinds = self._declarations.code.once(_types_of_parameter, self._declarations, place)
        if not kinds and function.type == "identifier" and count == 1:
            return name
        return next(iter(kinds)) if len(kinds) == 1 else ""

    def _in_parentheses(self, expression: tree_sitter.Node, place: tree_sitter.Node) -> str:
        """Of `v` in `dim3 grid(v);`, which to the grammar may declare a function."""
        declarator = place.parent.parent if place.parent else None
        if place.type != "parameter_declaration" or declarator is None:
            return ""
        name = declarator.child_by_field_name("declarator")
        found = variable_at(self._declarations, span_of(name)) if name else None
        is_alone = place.parent is not None and len(place.parent.named_children) == 1
        is_value = found is not None and found.value is not None and is_alone
        return found.type if found and is_value and place.named_children == [expression] else ""

    def _of_declarator(self, declarator: tree_sitter.Node) -> str:
        found = self._declared(declarator)
        return found.type if found else ""

    def _of_member(self, initializer: tree_sitter.Node) -> str:
        name = initializer.named_children[0]
        return self._of_name(name) if name.type in _NAMES else ""

    def _of_expression(self, left: tree_sitter.Node) -> str:
        """The type of what is assigned to."""
        if left.type == "identifier":
            return self._of_name(left)
        if left.type == "field_expression":
            name = left.child_by_field_name("field")
            found = variables_named(self._declarations, _text(name)) if name else []
            kinds = {each.type for each in found}
            return kinds.pop() if len(kinds) == 1 else ""
        if left.type == "subscript_expression":
            array = left.child_by_field_name("argument")
            kind = self._of_expression(array) if array else ""
            return kind.removesuffix("[]") if kind.endswith("[]") else kind.removesuffix("*")
        if left.type == "pointer_expression":
            pointer = left.child_by_field_name("argument")
            kind = self._of_expression(pointer) if pointer else ""
            return kind.removesuffix("*") if kind.endswith("*") else ""
        return ""

    def _of_name(self, name: tree_sitter.Node) -> str:
        found = variable(self._declarations, _text(name), name.start_byte)
        return found.type if found else ""

    def _members(self, kind: str) -> list[str] | None:
        """The types of an aggregate's members, in order; None for what the file does not define."""
        found = self.members(kind)
        return None if found is None else [each.type for each in found]

    def members(self, kind: str) -> list[Variable] | None:
        """An aggregate's members, in order; None for what the file does not define.

        None are known of a class with a base or a constructor.
        """
        for at in occurrences(self._declarations.code.code, kind):
            node = self._declarations.node_at(Span(at, at + len(kind)))
            owner = node.parent if node else None
            if not (owner and owner.type in _CLASSES and owner.child_by_field_name("body")):
                continue
            if owner.child_by_field_name("name") != node:
                continue
            body = owner.child_by_field_name("body")
            made = bool(functions_named(self._declarations, kind))
            has_base = any(each.type == "base_class_clause" for each in owner.children)
            if body is None or made or has_base:
                return []
            return [
                found
                for each in body.named_children
                if each.type == "field_declaration"
                for name in each.children_by_field_name("declarator")
                if (found := self._declared(name)) and "static" not in found.words
            ]
        return None

    def _declared(self, declarator: tree_sitter.Node) -> Variable | None:
        node: tree_sitter.Node | None = declarator
        while node and node.type not in _NAMES:
            is_reference = node.type == "reference_declarator"
            inner = node.named_children[-1] if is_reference else None
            node = node.child_by_field_name("declarator") or inner
        return variable_at(self._declarations, span_of(node)) if node else None


def _result(place: tree_sitter.Node) -> str:
    """What the function returns that a return statement is in."""
    node: tree_sitter.Node | None = place
    while node and node.type not in ("function_definition", "lambda_expression"):
        node = node.parent
    if node is None or node.type == "lambda_expression":
        return ""
    kind, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    is_value = declarator is not None and declarator.type == "function_declarator"
    return _text(kind) if kind and is_value else ""


def _last_name(function: tree_sitter.Node) -> str:
    """The name of what is called, without scopes, objects and template arguments."""
    node = function
    while inner := node.child_by_field_name("name") or node.child_by_field_name("field"):
        node = inner
    return _text(node)


def _text(node: tree_sitter.Node) -> str:
    return " ".join((node.text or b"").decode("latin-1").split())
