"""Names that headers declare, read without a compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.source.text.source_text import Code
from hipport.verification.header_names import declared, names_in
from tests.support.command import make_tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cudaError_t CUDARTAPI cudaFoo(int *p);", {"cudaFoo": "function"}),
        ('extern "C" {\nint nppFoo(void);\n}\n', {"nppFoo": "function"}),
        (
            "static inline int foo(int a) { return bar(a); } int b(void);",
            {"foo": "function", "b": "function"},
        ),
        ("__attribute__((deprecated)) int old(int);", {"old": "function"}),
        (
            "typedef enum { RED = 1, GREEN = (2 << 1), BLUE } Color;",
            {"RED": "enum_value", "GREEN": "enum_value", "BLUE": "enum_value", "Color": "type"},
        ),
        (
            "enum Shape { ROUND, FLAT };",
            {"Shape": "type", "ROUND": "enum_value", "FLAT": "enum_value"},
        ),
        ("enum class Mode : int { ON };", {"Mode": "type"}),
        (
            "typedef struct S_st *S; typedef int (*callback)(void *);",
            {"S": "type", "callback": "type"},
        ),
        ("typedef struct { int a[4]; int (*f)(int); } P, *Q;", {"P": "type", "Q": "type"}),
        ("struct A { int member; void method(); }; struct B;", {"A": "type", "B": "type"}),
        ("using index = long; using namespace std;", {"index": "type"}),
        ("namespace lib { int inner(int); namespace deep { int x(int); } }", {"lib": "namespace"}),
        ("#define LIB_VERSION 7\n#define LIB_H\n", {"LIB_VERSION": "macro"}),
        (
            "#ifdef _WIN32\nint a(int);\n#else\nint b(int);\n#endif\n",
            {"a": "function", "b": "function"},
        ),
        ("// int hidden(int);\n/* int too(int); */\nextern const int limit = f(3);\n", {}),
        ("int f(int) { if (x) { y(); } } }}} int g(int);", {"f": "function"}),
        ("enum { ", {}),
        (
            "#define cuFoo cuFoo_v2\nint cuFoo(int);\n#define LIMIT limit\n",
            {"cuFoo": "function", "cuFoo_v2": "function", "LIMIT": "macro"},
        ),
        ("((((", {}),
    ],
)
def test_declared(text: str, expected: dict[str, str]) -> None:
    assert dict(declared(Code(text.encode()))) == expected


def test_names_with_an_underscore_are_the_vendors_own(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.h": "int _hidden(int); int shown(int);\n", "notes.txt": "int no(int);"})
    assert list(names_in([tmp_path])) == ["shown"]


def test_a_name_is_of_the_outermost_header(tmp_path: Path) -> None:
    make_tree(tmp_path, {"detail/a.h": "int f(int);\n", "z.h": "int f(int);\n"})
    assert names_in([tmp_path])["f"].header == "z.h"
