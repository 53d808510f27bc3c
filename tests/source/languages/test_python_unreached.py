"""Statements behind a `return` never run: nothing in them has to be ported."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.patterns.python_files import python_findings

RULES = load(is_audit=True)
ASKING = "import pynvml\n"


def lines(text: str) -> list[int]:
    found = python_findings(text.encode(), "ours.py", RULES)
    return [each.start.line for each in found if each.code == "HP-PY-031"]


@pytest.mark.parametrize(
    "text",
    [
        f"def f():\n    return []\n    {ASKING}",
        f"def f():\n    return []\n\n    # Not yet.\n    {ASKING}",
        f"def f(a):\n    for b in a:\n        continue\n        {ASKING}",
        f"def f(a):\n    if a:\n        raise ValueError(a)\n        with b:\n            {ASKING}",
        f"class A:\n    def f(self):\n        return\n        g()\n        {ASKING}",
    ],
)
def test_what_is_never_run(text: str) -> None:
    assert lines(text) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"def f(a):\n    if a:\n        return []\n    {ASKING}", 4),
        (f"def f(a):\n    if a: return []\n    {ASKING}", 3),
        (f"def f():\n    try:\n        return g()\n    except A:\n        {ASKING}", 5),
        (f"def f():\n    return []\n\n\n{ASKING}", 5),
        (f"def f(a):\n    return g(\n        a,\n    )\n\n\ndef g():\n    {ASKING}", 8),
        (f"def f(a):\n    {ASKING}    return a\n    g()\n", 2),
    ],
)
def test_what_is_run(text: str, line: int) -> None:
    assert lines(text) == [line]
