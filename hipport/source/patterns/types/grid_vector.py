"""Vectors of three numbers and dimensions, which CUDA converts into each other and HIP does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.names.variables import variable
from hipport.source.names.wanted_types import wanted_type
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences


class FixKeys(RuleKeys, frozen=True):
    vector: str
    maker: str
    """The function that makes a vector of three numbers."""
    dimension: str
    variables: tuple[str, ...]
    """Variables of the grid, whose types have their own names in HIP."""


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Make dimensions where dimensions are wanted, and vectors where vectors are."""
    keys = rule.read(FixKeys)
    for node in _nodes(unit, keys.maker):
        call = node.parent
        if call and call.type == "call_expression" and _wanted(unit, call, keys) == keys.dimension:
            span = Span(node.start_byte, node.end_byte)
            rewrite(unit, "dim3-from-uint3", [(span, keys.dimension)], [span])
    if keys.vector in unit.code.words:
        for name in sorted({*_declared(unit, keys), *keys.variables} & unit.code.words):
            for node in _nodes(unit, name):
                _convert(unit, name, node, keys)


def _convert(unit: Unit, name: str, node: tree_sitter.Node, keys: FixKeys) -> None:
    """Write a variable of one of the types out where the other is wanted."""
    wanted = wanted_type(unit.declarations, node)
    if wanted not in (keys.vector, keys.dimension):
        return
    found = variable(unit.declarations, name, node.start_byte)
    kind = found.type if found else keys.dimension if name in keys.variables else ""
    parts = ", ".join(f"{name}.{each}" for each in "xyz")
    span = Span(node.start_byte, node.end_byte)
    if (kind, wanted) == (keys.dimension, keys.vector):
        rewrite(unit, "uint3-from-grid", [(span, f"{keys.maker}({parts})")], [span])
    elif (kind, wanted) == (keys.vector, keys.dimension):
        rewrite(unit, "dim3-from-uint3", [(span, f"{keys.dimension}({parts})")], [span])


def _wanted(unit: Unit, call: tree_sitter.Node, keys: FixKeys) -> str:
    """The type that is wanted of a call, or of a choice between such calls."""
    choice = call.parent
    while choice and choice.type == "conditional_expression":
        every = [choice.child_by_field_name(each) for each in ("consequence", "alternative")]
        functions = [each.child_by_field_name("function") if each else None for each in every]
        if any(each is None or each.text != keys.maker.encode() for each in functions):
            return ""
        call, choice = choice, choice.parent
    return wanted_type(unit.declarations, call)


def _declared(unit: Unit, keys: FixKeys) -> set[str]:
    """The names that may be variables of one of the types."""
    shape = rf"\b(?:{keys.vector}|{keys.dimension})\b([^;{{}}]*)"
    return {name for each in re.findall(shape, unit.code.code) for name in re.findall(r"\w+", each)}


def _nodes(unit: Unit, name: str) -> Iterator[tree_sitter.Node]:
    """The nodes of a name's uses."""
    for at in occurrences(unit.code.code, name):
        node = unit.declarations.node_at(Span(at, at + len(name)))
        is_own = node is not None and node.start_byte == at
        if node and is_own and node.type in ("identifier", "type_identifier"):
            yield node
