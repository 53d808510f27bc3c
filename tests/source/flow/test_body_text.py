"""What the text of a function's body assigns, and the lambdas in it."""

from __future__ import annotations

import pytest

from hipport.source.flow.body_text import assigned, lambdas


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{ int n(i / 32); }", [("n", "i / 32")]),
        ("{ unsigned long long n{i}; }", [("n", "i")]),
        ("{ const std::uint32_t n(i); }", [("n", "i")]),
        ("{ int const n(i); }", [("n", "i")]),
        ("{ for (int n(i); n; n--) {} }", [("n", "i")]),
        ("{ if (i) { auto n(i); } }", [("n", "i")]),
        ("{ int n = i, m = 3; n += 2; }", [("n", "i"), ("m", "3"), ("n", "2")]),
        # What a constructor makes of its arguments is not known.
        ("{ Range n(i); }", []),
        ("{ int n(int); return f(i); }", []),
        ("{ return n(i); if (i) n(i); else n(i); }", []),
        ("{ delete n(i); a.n = i; n == i; }", []),
    ],
)
def test_what_is_assigned(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(each.name, text[slice(*each.value)]) for each in assigned(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{ auto f = [](int a, int b) { return a; }; }", [("f", "int a, int b")]),
        ("{ auto f = [&, n = x[3]] __device__ (int a) {}; }", [("f", "int a")]),
        (
            "{ auto f = [=](int (*g)(int)) mutable {}; f = [](T a) {}; }",
            [("f", "int (*g)(int)"), ("f", "T a")],
        ),
        ("{ auto f = [] { return 1; }; int x = y[1](2); }", [("f", "")]),
    ],
)
def test_lambdas_and_their_parameters(text: str, expected: list[tuple[str, str]]) -> None:
    found = lambdas(text)
    assert [(each.name, each.parameters) for each in found] == expected
    assert all(text[each.end - 1] in ")]" or text[each.end] == "{" for each in found)
