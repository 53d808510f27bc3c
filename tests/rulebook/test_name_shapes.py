"""Shapes of names match what they match as one expression."""

from __future__ import annotations

import re

import pytest

from hipport.rulebook.load import load
from hipport.rulebook.name_shapes import NameShapes

SHAPES = ["cu(?:Mem|Ctx)[A-Z]?\\w*|CU_[A-Z]\\w*", "p?nccl[A-Z]\\w*", "ab*|c{2}|[|(]x|a\\|b", ""]
NAMES = "cuMem cuMemX cuX CU_A CU_a pncclA ncclA ccl a ab abb b c cc |x (x a|b x".split()


@pytest.mark.parametrize("shapes", [SHAPES, SHAPES[:1], SHAPES[1:2], SHAPES[2:3]])
def test_they_match_what_one_expression_does(shapes: list[str]) -> None:
    found = NameShapes(shapes)
    whole = re.compile("|".join(f"(?:{each})" for each in shapes), re.ASCII)
    for name in NAMES:
        assert found.fullmatch(name) == bool(whole.fullmatch(name)), name
        assert found.match(f"-{name}", 1) == bool(whole.match(f"-{name}", 1)), name


def test_names_of_the_rulebook() -> None:
    rules = load()
    shapes = [each.unknown for each in rules.libraries.values() if each.unknown]
    whole = re.compile("|".join(f"(?:{each})" for each in shapes), re.ASCII)
    for name in (*rules.names, *rules.watched):
        assert rules.unknown.fullmatch(name) == bool(whole.fullmatch(name)), name
