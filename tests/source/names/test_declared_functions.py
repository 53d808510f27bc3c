"""The functions that a file declares: a parser is asked only where a name may be declared."""

from __future__ import annotations

import pytest

from hipport.source.names.declared_functions import functions_named, may_declare_function
from hipport.source.names.declared_names import Declarations
from hipport.source.text.source_text import Code


@pytest.mark.parametrize(
    "text",
    [
        "int name(int a, int b);",
        "template <class T> T name(T a, T b) { return a; }",
        "struct A { static float& name(int a); };",
        "int A::name(int a) { return a; }",
        "int A<int>::name(int a) { return a; }",
    ],
)
def test_a_declaration_is_one_by_its_tokens(text: str) -> None:
    code = Code(text.encode())
    assert may_declare_function(code, "name")
    assert functions_named(Declarations(code), "name")


@pytest.mark.parametrize(
    "text",
    [
        "int f() { return name(1, 2); }",
        "int f() { int x = name(1, 2); }",
        "int f() { g(name(1, 2), std::name(3, 4)); }",
        "int f() { x = std::name(3, 4) + 1; }",
    ],
)
def test_a_use_is_none(text: str) -> None:
    code = Code(text.encode())
    assert not may_declare_function(code, "name")
    assert not functions_named(Declarations(code), "name")
