"""Vectors of three numbers and dimensions, which CUDA converts into each other and HIP does not."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.names.variables import variable, variable_at
from hipport.source.names.wanted_types import wanted_of_calls, wanted_of_uses
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit

_BEFORE_VALUE = re.compile(r"[^\W\d]\w*(?=\s*[=;:,){[(])")
"""What may be the name of a variable that is declared there."""


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
    for span, wanted in wanted_of_calls(unit.declarations, keys.maker):
        if wanted == keys.dimension:
            rewrite(unit, "dim3-from-uint3", [(span, keys.dimension)], [span])
    if keys.vector in unit.code.words:
        for name in sorted(_variables(unit, keys)):
            for span, wanted in wanted_of_uses(unit.declarations, name):
                if wanted in (keys.vector, keys.dimension):
                    _convert(unit, span, wanted, keys)


def _convert(unit: Unit, span: Span, wanted: str, keys: FixKeys) -> None:
    """Write a variable out that has one of the types where the other is wanted."""
    name = unit.code.slice(span)
    found = variable(unit.declarations, name, span.start)
    kind = found.type if found else keys.dimension if name in keys.variables else ""
    parts = ", ".join(f"{name}.{each}" for each in "xyz")
    if (kind, wanted) == (keys.dimension, keys.vector):
        rewrite(unit, "uint3-from-grid", [(span, f"{keys.maker}({parts})")], [span])
    elif (kind, wanted) == (keys.vector, keys.dimension):
        rewrite(unit, "dim3-from-uint3", [(span, f"{keys.dimension}({parts})")], [span])


def _variables(unit: Unit, keys: FixKeys) -> set[str]:
    """The names of the file's variables that have one of the types."""
    text, types = unit.code.code, (keys.vector, keys.dimension)
    found = set(unit.code.words.intersection(keys.variables))
    for declaration in re.finditer(rf"\b(?:{'|'.join(types)})\b[^;]*;?", text):
        for name in _BEFORE_VALUE.finditer(text, *declaration.span()):
            if name[0] not in found:
                declared = variable_at(unit.declarations, Span(*name.span()))
                if declared and declared.type in types:
                    found.add(name[0])
    return found
