"""Vectors of three numbers and dimensions, which CUDA converts into each other and HIP does not."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.names.declared_types import always_of
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit


class FixKeys(RuleKeys, frozen=True):
    vector: str
    maker: str
    """The function that makes a vector of three numbers."""
    dimension: str
    variables: tuple[str, ...]
    """Variables of the grid, whose types have their own names in HIP."""


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Make dimensions where a variable of them is assigned, and vectors of dimensions."""
    keys = rule.read(FixKeys)
    words = unit.code.words
    if keys.maker in words:
        _make_dimensions(unit, keys)
    if keys.vector in words:
        _make_vectors(unit, keys)


def _make_vectors(unit: Unit, keys: FixKeys) -> None:
    text = unit.code.code
    names = always_of(text, keys.dimension) if keys.dimension in unit.code.words else set()
    variables = "|".join((*keys.variables, *map(re.escape, sorted(names))))
    vector = rf"{keys.vector}(?<!\w{keys.vector})"
    shape = rf"{vector}\s+(?:const\s+)?\w+\s*(?:=\s*|[({{]\s*)({variables})(?=\s*[;,)}}])"
    for match in re.finditer(shape, text):
        span = Span(*match.span(1))
        parts = ", ".join(f"{match[1]}.{each}" for each in "xyz")
        rewrite(unit, "uint3-from-grid", [(span, f"{keys.maker}({parts})")], [span])


def _make_dimensions(unit: Unit, keys: FixKeys) -> None:
    text = unit.code.code
    assigned = re.compile(
        rf"(?:[;{{}})]|\belse)\s*(?:\w+\s*(?:\.|->)\s*)*(\w+)\s*=\s*({keys.maker})\s*\("
    )
    dimensions: set[str] | None = None
    for match in assigned.finditer(text):
        dimensions = always_of(text, keys.dimension) if dimensions is None else dimensions
        if match[1] in dimensions:
            span = Span(*match.span(2))
            rewrite(unit, "dim3-from-uint3", [(span, keys.dimension)], [span])
