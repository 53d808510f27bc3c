"""Where it is seen whether a number of 32 bits has a sign."""

from __future__ import annotations

import re

import tree_sitter

from hipport.source.names.number_types import INT, UNSIGNED, NumberTypes, spelled, text_of

_FEW_BITS = frozenset(
    (INT, UNSIGNED, "short", "unsigned short", "char", "signed char", "unsigned char", "bool")
)
_COMPARISONS = ("<", ">", "<=", ">=")
_DIVISIONS = ("/", "%", ">>")


class SeenSigns:
    """Answers for one file.

    `overloaded` are functions that have another form for numbers without a sign, `indifferent`
    those that take a sign as bits: patterns.
    """

    def __init__(self, types: NumberTypes, overloaded: str, indifferent: str) -> None:
        self._types, self._overloaded, self._indifferent = types, overloaded, indifferent

    def has_sign(self, count: tree_sitter.Node) -> bool:
        """Whether what a count is part of may be negative, and is used by its value."""
        node, may_be_negative = count, False
        while parent := node.parent:
            if parent.type == "unary_expression":
                may_be_negative |= text_of(parent)[0] in "-~"
                if text_of(parent)[0] == "!":
                    return False
            elif parent.type == "binary_expression":
                answer = self._in_binary(node, parent, is_negative=may_be_negative)
                if answer is not None:
                    return answer
                other = _other(node, parent)
                is_named = other is not None and other.type != "number_literal"
                is_signed = is_named and self._types.of(other) == INT
                may_be_negative |= _operator(parent) == "-" or is_signed
            elif parent.type != "parenthesized_expression":
                return self._in_other(node, parent, is_negative=may_be_negative)
            node = parent
        return False

    def _in_binary(
        self, node: tree_sitter.Node, parent: tree_sitter.Node, *, is_negative: bool
    ) -> bool | None:
        """Whether a sign is seen in an operation; None if what is around it decides."""
        operator, other = _operator(parent), _other(node, parent)
        kind = self._types.of(other)
        is_left = parent.child_by_field_name("left") == node
        if kind == UNSIGNED or operator in ("==", "!=", "&&", "||", ",", "&", "^", "|"):
            return False
        if operator == "<<" or (operator == ">>" and not is_left):
            return None if is_left else False
        if operator in _COMPARISONS:
            return is_negative or bool(other and _is_negative(other))
        if operator in _DIVISIONS:
            is_named = kind == INT and other is not None and other.type != "number_literal"
            return is_negative or (is_named and not is_left)
        if kind == INT:
            return None
        if not kind:
            return True if is_negative else None
        # The sum is one of floats, or of 64 bits.
        return is_negative

    def _in_other(
        self, node: tree_sitter.Node, parent: tree_sitter.Node, *, is_negative: bool
    ) -> bool:
        if parent.type == "argument_list" and parent.parent:
            return self._in_call(parent.parent, is_negative=is_negative)
        if not is_negative:
            return False
        if parent.type == "cast_expression":
            kind = parent.child_by_field_name("type")
            return kind is not None and spelled(text_of(kind)) not in _FEW_BITS
        if parent.type == "assignment_expression":
            left = parent.child_by_field_name("left")
            is_divided = _operator(parent).rstrip("=") in _DIVISIONS
            return left != node and (is_divided or self._types.of(left) not in _FEW_BITS)
        if parent.type == "init_declarator":
            declared = parent.parent and parent.parent.child_by_field_name("type")
            return not declared or spelled(text_of(declared)) not in _FEW_BITS
        if parent.type == "return_statement":
            return _returned(parent) not in _FEW_BITS
        return parent.type == "initializer_list"

    def _in_call(self, call: tree_sitter.Node, *, is_negative: bool) -> bool:
        function = call.child_by_field_name("function")
        name = text_of(function) if function else ""
        if re.fullmatch(self._overloaded, name):
            return True
        if re.fullmatch(self._indifferent, name):
            return False
        cast = re.fullmatch(r"static_cast\s*<(.*)>|(\w+)", name)
        kind = spelled(cast[1] or cast[2]) if cast else ""
        return is_negative and kind not in _FEW_BITS


def _returned(node: tree_sitter.Node | None) -> str:
    """The type of the function around a statement, if it is a number's."""
    while node and node.type not in ("function_definition", "lambda_expression"):
        node = node.parent
    kind = node.child_by_field_name("type") if node else None
    return spelled(text_of(kind)) if kind else ""


def _is_negative(node: tree_sitter.Node) -> bool:
    return text_of(node).startswith("-") or _operator(node) == "-"


def _other(node: tree_sitter.Node, parent: tree_sitter.Node) -> tree_sitter.Node | None:
    left, right = (parent.child_by_field_name(each) for each in ("left", "right"))
    return right if left == node else left


def _operator(node: tree_sitter.Node) -> str:
    mark = node.child_by_field_name("operator")
    return text_of(mark) if mark else ""
