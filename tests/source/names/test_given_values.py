"""What a variable was given last before it is used."""

from __future__ import annotations

import gc
import weakref

import pytest

from hipport.source.names.declared_names import Declarations
from hipport.source.names.given_values import last_given, values_given
from hipport.source.text.source_text import Code

LAST = [
    ("void k() { int v = 32; f(HERE); }", "32"),
    ("void k() { dim3 v(8, 4); f(HERE); }", "(8, 4)"),
    ("void k() { dim3 v{8}; f(HERE); }", "{8}"),
    ("void k() { int u = 3, v = 4; f(HERE); }", "4"),
    ("void k() { int v = 1; v = 2; f(HERE); v = 3; }", "2"),
    ("void k(int v) { v = 2; f(HERE); }", "2"),
    ("void k() { v = 2; f(HERE); }", "2"),
    ("void k() { int v = 1; g(v, v.x, v[2]); f(HERE); }", "1"),
    ("void k() { int v = 1; { int v = 2; } f(HERE); }", "1"),
    ("static int v = 4;\nvoid k() { f(HERE); }", "4"),
    ("static int v = 4;\nvoid k() { v = 5; f(HERE); }", "5"),
    ("#define CALL(n) int v = n; f(HERE)\n", "n"),
]
UNCERTAIN = [
    "void k() { int v; f(HERE); }",
    "void k(int v) { f(HERE); }",
    "void k(int v = 3) { f(HERE); }",
    "void k() { int v = 1; v += 2; f(HERE); }",
    "void k() { int v = 1; v++; f(HERE); }",
    "void k() { int v = 1; set(&v); f(HERE); }",
    "void k() { dim3 v(1); v.x = 2; f(HERE); }",
    "void k() { int v[2] = {1, 2}; v[0] = 2; f(HERE); }",
    "int v = 4;\nvoid k() { f(HERE); }",
    "static int v = 4;\nvoid k() { f(HERE); }\nvoid set() { v = 5; }",
    "struct A { int v = 3; void k() { f(HERE); } };",
    "void j() { v = 2; }\nvoid k() { f(HERE); }",
    "void k() { other.v = 2; f(HERE); }",
]


def last(text: str) -> str | None:
    code = Code(text.replace("HERE", "v").encode())
    found = last_given(Declarations(code), "v", text.index("HERE"))
    return code.slice(found) if found else None


@pytest.mark.parametrize(("text", "expected"), LAST)
def test_the_last_value_of_v(text: str, expected: str) -> None:
    assert last(text) == expected


@pytest.mark.parametrize(("text", "expected"), [*LAST, *((each, None) for each in UNCERTAIN)])
def test_a_parsed_file_and_a_function_alone_say_the_same(text: str, expected: str | None) -> None:
    code = Code((text.replace("HERE", "v") + "\nint later() { return 1; }").encode())
    declarations = Declarations(code)
    assert declarations.root is not None
    assert declarations.of_function_around(text.index("HERE")) is None
    found = last_given(declarations, "v", text.index("HERE"))
    assert (code.slice(found) if found else None) == expected


def test_the_values_of_a_function_take_no_look_at_the_rest() -> None:
    text = "int v = 1;\n" * 3 + "void k(int n) { int v = n; f(HERE); }\nstruct A { int v; };"
    declarations = Declarations(Code(text.replace("HERE", "v").encode()))
    given = last_given(declarations, "v", text.index("HERE"))
    assert given and declarations.code.slice(given) == "n"
    assert not declarations.is_parsed


@pytest.mark.parametrize("text", UNCERTAIN)
def test_what_is_not_certain_is_no_value(text: str) -> None:
    assert last(text) is None


def test_all_values_are_those_of_declarations_and_assignments() -> None:
    text = "int v = 1;\nvoid f() { v = 2; v += 3; a.v = 4; if (v == 5) g(v); }\nint g(int v = 6);\n"
    code = Code(text.encode())
    assert list(map(code.slice, values_given(Declarations(code), "v"))) == ["1", "2", "6"]


def test_what_was_found_does_not_keep_the_trees_of_files() -> None:
    files = [Declarations(Code(b"void f() { int v = %d; v = 2; }" % each)) for each in range(9)]
    for each in files:
        assert len(values_given(each, "v")) == 2
    known = [weakref.ref(each) for each in files]
    del files, each
    gc.collect()
    assert sum(each() is not None for each in known) <= 2
