"""Operands before an operator."""

from __future__ import annotations

import pytest

from hipport.source.flow.operands import operand_before


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("f(); mask", "mask"),
        ("x = 9ull", "ull"),
        ("x + p->set.lanes ", "p->set.lanes "),
        ("x + cg::size", "cg::size"),
        ("x + a.7b", "b"),
        ("a .b", "b"),
        ("a->", ""),
        ("x + f(a, b)", "(a, b)"),
        ("x + rows[i]", "rows[i]"),
        ("", ""),
    ],
)
def test_an_operand_is_a_name_with_what_it_is_a_member_of(text: str, operand: str) -> None:
    found = operand_before(text, len(text), is_loose=False)
    assert text[found.start :] == operand
