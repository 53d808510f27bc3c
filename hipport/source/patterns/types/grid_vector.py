"""Vectors of three numbers and dimensions, which CUDA converts into each other and HIP does not."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.variables import variable, variables_declared_by
from hipport.source.names.wanted_types import uses_of, wanted_of, wanted_of_calls, whole_uses
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences
from hipport.source.text.source_text import Code

_MEMBERS = "xyz"


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
    if not _has_dimensions(unit.code, keys):
        return
    for span, wanted in wanted_of_calls(unit.declarations, keys.maker):
        if wanted == keys.dimension:
            rewrite(unit, "dim3-from-uint3", [(span, keys.dimension)], [span])
    if keys.vector in unit.code.words:
        for span, wanted in wanted_of_calls(unit.declarations, keys.dimension):
            if wanted == keys.vector:
                _make_vector(unit, span, keys)
        types = (keys.vector, keys.dimension)
        for name in sorted({*_declared(unit, types), *keys.variables} & unit.code.words):
            for span, node in uses_of(unit.declarations, name):
                kind = _kind(unit, span, keys)
                if kind in types:
                    _convert(unit, span, kind, wanted_of(unit.declarations, node), keys)


def _has_dimensions(code: Code, keys: FixKeys) -> bool:
    """Whether dimensions are named, or variables of the grid are used as a whole."""
    return keys.dimension in code.words or any(
        any(whole_uses(code, name)) for name in keys.variables
    )


def _make_vector(unit: Unit, span: Span, keys: FixKeys) -> None:
    """Call the maker in place of the constructor, which has 1 for each number that is not given."""
    call = parse_call(unit.code, span)
    if call is None or len(call.arguments) > len(_MEMBERS):
        return
    ones = ["1"] * (len(_MEMBERS) - len(call.arguments))
    lacking = ", ".join([""] * bool(call.arguments and ones) + ones)
    edits = [(span, keys.maker)]
    if lacking:
        edits.append((Span(call.closed, call.closed), lacking))
    rewrite(unit, "uint3-from-grid", edits, [span])


def _kind(unit: Unit, span: Span, keys: FixKeys) -> str:
    """The type of the variable that is used at a place; "" where the file does not say."""
    name = unit.code.slice(span)
    found = variable(unit.declarations, name, span.start)
    return found.type if found else keys.dimension if name in keys.variables else ""


def _convert(unit: Unit, span: Span, kind: str, wanted: str, keys: FixKeys) -> None:
    """Write a variable out that has one of the types where the other is wanted."""
    name = unit.code.slice(span)
    parts = ", ".join(f"{name}.{each}" for each in _MEMBERS)
    if (kind, wanted) == (keys.dimension, keys.vector):
        rewrite(unit, "uint3-from-grid", [(span, f"{keys.maker}({parts})")], [span])
    elif (kind, wanted) == (keys.vector, keys.dimension):
        rewrite(unit, "dim3-from-uint3", [(span, f"{keys.dimension}({parts})")], [span])


def _declared(unit: Unit, types: tuple[str, ...]) -> set[str]:
    """The names of variables that may have one of the types."""
    places = [
        Span(at, at + len(each)) for each in types for at in occurrences(unit.code.code, each)
    ]
    return {
        unit.code.slice(found.name)
        for place in places
        for found in variables_declared_by(unit.declarations, place)
    }
