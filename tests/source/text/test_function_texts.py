"""The function around a place, found by brackets alone."""

from __future__ import annotations

import pytest

from hipport.source.text.function_texts import function_around

CASES = [
    ("int x;\nvoid f(int a) { if (a) { HERE } }\nint y;", "\nvoid f(int a) { if (a) { HERE } }"),
    (
        "namespace n { template <class T> void f() { HERE } }",
        " template <class T> void f() { HERE }",
    ),
    ("class C { int a; void f() const { HERE } };", " void f() const { HERE }"),
    ("void f() { auto g = [](int a) { HERE }; }", "void f() { auto g = [](int a) { HERE }; }"),
    ("void f() {} void g() { HERE }", " void g() { HERE }"),
    ("void f() {} int HERE;", None),
    ("struct S { int HERE; };", None),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_function_around_a_place(text: str, expected: str | None) -> None:
    span = function_around(text, text.index("HERE"))
    assert (text[slice(*span)] if span else None) == expected
