"""Sets of lanes that are kept in 32 bits: HIP's ballot and the like return 64."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.lane_sets import narrow_sets
from hipport.source.names.variables import variable, variable_at
from hipport.source.source_file import Unit
from hipport.source.text.brackets import is_member, occurrences, skip

if TYPE_CHECKING:
    import tree_sitter

# What passes a set of lanes on; a comparison, or a shift to its upper half, does not.
_PASSING = frozenset("parenthesized_expression cast_expression argument_list".split())
_OPERATORS = frozenset("& | ^ ~".split())
_CASTS = re.compile(rb"(?:static|reinterpret)_cast\b")


class Keys(RuleKeys, frozen=True):
    narrow: Regex
    """Types of 32 bits."""
    members: tuple[str, ...]
    """Members of groups that return a set."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each variable or element of 32 bits that is given a set of lanes."""
    narrow = rule.read(Keys).narrow
    lines: set[int] = set()
    found = [span for call in _calls(unit, rule) for span in _holders(unit, call, narrow)]
    for span in (*sorted(found), *narrow_sets(unit, narrow)):
        line = unit.code.position(span.start).line
        if line not in lines and counts(unit, rule, span.start):
            lines.add(line)
            unit.report(rule.id, span, " ".join(unit.code.slice(span).split()))


def _calls(unit: Unit, rule: FindingRule) -> Iterator[Span]:
    """The names of the functions, and of the members, where they are called."""
    text = unit.code.code
    for names, are_members in ((rule.names, False), (rule.read(Keys).members, True)):
        for name in unit.code.words.intersection(names):
            for at in occurrences(text, name):
                end = at + len(name)
                if text.startswith("(", skip(text, end)) and is_member(text, at) is are_members:
                    yield Span(at, end)


def _holders(unit: Unit, call: Span, narrow: str) -> Iterator[Span]:
    """The declaration or assignment that gives what a call returns to something of 32 bits."""
    node = unit.declarations.node_at(call)
    node = _whole(node) if node else None
    holder = node.parent if node else None
    if node is None or holder is None:
        return
    if holder.type == "assignment_expression":
        left = holder.child_by_field_name("left")
        if left != node and left and left.type == "subscript_expression":
            yield from _element(unit, left, call, narrow)
        return
    while holder and holder.type in ("init_declarator", "declaration"):
        node, holder = holder, holder.parent
    name = node.child_by_field_name("declarator")
    while name and (inner := name.child_by_field_name("declarator")):
        name = inner
    declared = (
        variable_at(unit.declarations, Span(name.start_byte, name.end_byte)) if name else None
    )
    if declared and declared.value and re.fullmatch(narrow, declared.type):
        first = declared.type_place if declared.is_alone else declared.name
        yield Span(first.start, call.end)


def _whole(node: tree_sitter.Node) -> tree_sitter.Node:
    """The expression whose value is a call's set of lanes, or made of its bits."""
    while outer := node.parent:
        function = outer.child_by_field_name("function")
        if outer.type == "call_expression" and function != node:
            if not _CASTS.match((function and function.text) or b""):
                break
        elif outer.type in ("binary_expression", "unary_expression"):
            operator = outer.child_by_field_name("operator")
            if operator is None or operator.type not in _OPERATORS:
                break
        elif outer.type not in ("call_expression", "field_expression", *_PASSING):
            break
        node = outer
    return node


def _element(unit: Unit, left: tree_sitter.Node, call: Span, narrow: str) -> Iterator[Span]:
    array: tree_sitter.Node | None = left
    while array and array.type == "subscript_expression":
        array = array.child_by_field_name("argument")
    if array is None or array.type != "identifier":
        return
    name = unit.code.slice(Span(array.start_byte, array.end_byte))
    declared = variable(unit.declarations, name, array.start_byte)
    if declared is None or not re.fullmatch(narrow, re.sub(r"[*\[\]]+\Z", "", declared.type)):
        return
    # A rewrite may have given the array another type.
    if not unit.answered.overlap(declared.type_place):
        yield Span(left.start_byte, call.end)
