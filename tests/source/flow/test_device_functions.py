"""The parameters of device functions, as the syntax tree has them."""

from __future__ import annotations

import pytest

from hipport.source.flow.device_functions import parameters_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n", []),
        ("int n, float *x", [("n", ""), ("x", "")]),
        ("T (&data)[4], T *__restrict__ out", [("data", ""), ("out", "")]),
        ("int, bool is_last = (1 < 2)", [("", ""), ("is_last", "(1 < 2)")]),
        ("std::pair<int, int> p = make(1, 2), int rows[3]", [("p", "make(1, 2)"), ("rows", "")]),
        ("F f, Args... rest", [("f", ""), ("rest", "")]),
        ("1 + 2", []),
        (f"int {'n' * 4_000}", []),
    ],
)
def test_parameters(text: str, expected: list[tuple[str, str]]) -> None:
    assert [tuple(each) for each in parameters_in(text)] == expected
