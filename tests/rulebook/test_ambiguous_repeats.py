"""No expression of the project takes exponential time for a text that does not match."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hipport.rulebook.check.ambiguous_repeats import ambiguous_repeats
from tests.support.folders import CHECKOUT

AMBIGUOUS = {
    r"(?:a+)*": "aaa",
    r"(?:_\w+)*\.": "000",
    r"(?:-{1,2}[\w-]+[ ]+)*x": "---",
    r"(?:\w+[;, ]+[ \t]*){0,20}x": "   ",
    r"(?:\w+(?:=\w+)?[-\w])+": "000",
    r"x|(?:y(?:[^\n]*?z\w*)+)": "000",
}
PLAIN = [
    r"(?:_\w++)*\.",
    r"(?:\w+,)*x",
    r"(?:a+){0,4}b",
    r"(?:[^()]|\([^()]*\))*",
    r"(?:\w+(?:\(\w*\))?\.)+x",
    r"(?>a+)*",
    r"\w*\w*",
    r"(?:[ \t]*\n)*",
    r"(?:(?=a)\d{2}-)*",
]


@pytest.mark.parametrize("expression", AMBIGUOUS)
def test_a_repeated_group_that_matches_in_several_ways(expression: str) -> None:
    shared = AMBIGUOUS[expression]
    reason = f"{expression}: a repeated group can share out {shared!r} in several ways"
    assert list(ambiguous_repeats(expression)) == [reason]


@pytest.mark.parametrize("expression", PLAIN)
def test_a_group_that_matches_in_one_way(expression: str) -> None:
    assert list(ambiguous_repeats(expression)) == []


def test_the_expressions_of_the_rulebook_and_of_the_program() -> None:
    found = [
        f"{path.relative_to(CHECKOUT)}: {fault}"
        for folder, pattern in (("rules", "*.toml"), ("hipport", "*.py"))
        for path in sorted((CHECKOUT / folder).rglob(pattern))
        for text in _texts(path)
        if _is_expression(text)
        for fault in ambiguous_repeats(text)
    ]
    assert found == []


def _texts(path: Path) -> Iterator[str]:
    if path.suffix == ".toml":
        table = tomllib.loads(path.read_text("utf-8"))
        examples = ("bad", "good", "message", "suggestion")
        yield from _values({key: table[key] for key in table if key not in examples})
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = (each.value if isinstance(each, ast.Constant) else "X" for each in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
            yield node.value.decode("latin-1")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _values(each)


def _is_expression(text: str) -> bool:
    """Whether it repeats a group, and is no sentence."""
    if not re.search(r"\)[*+{]", text) or "`" in text:
        return False
    try:
        re.compile(text)
    except re.error:
        return False
    return True
