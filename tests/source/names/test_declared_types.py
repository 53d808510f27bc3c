"""The type of a variable where it is used: that of the declaration whose scope the use is in."""

from __future__ import annotations

import pytest

from hipport.source.names.declared_names import Declarations
from hipport.source.names.declared_types import is_object_of, is_only_behind, type_like
from hipport.source.text.source_text import Code
from tests.support.converting import convert


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("void k(float2 v) { f(HERE); }", "float2"),
        ("void k(const float2& v) { f(HERE); }", "float2"),
        ("void k() { float2 a, v; f(HERE); }", "float2"),
        ("void k() { const half v = g(); f(HERE); }", "half"),
        ("void k() { std::uint8_t v{3}; f(HERE); }", "std::uint8_t"),
        ("void k() { unsigned char v; f(HERE); }", "unsigned char"),
        ("void k() { std::pair<int, half> v(1, 2); f(HERE); }", "std::pair<int, half>"),
        ("void k() { struct size v = {}; f(HERE); }", "size"),
        ("void k() { dim3 v(x, y); f(HERE); }", "dim3"),
        ("void k() { for (const auto& v : x) f(HERE); }", "auto"),
        ("void k() { if (int v = 1) f(HERE); }", "int"),
        ("#define CALL(x) float2 v = x; \\\n  f(HERE)\n", "float2"),
        # Members, of the class whose function it is.
        ("struct A { void k() { f(HERE); } half v; };", "half"),
        ("struct A { half v; }; void A::k() { f(HERE); }", "half"),
        ("struct A { half v; }; void B::k() { f(HERE); }", ""),
        ("struct A { half v; }; void k() { f(HERE); }", ""),
        ("void __launch_bounds__(256) k(half2 v) { if (n) { f(HERE); } }", "half2"),
        ("void k() { auto g = [=] (float2 v) { f(HERE); }; }", "float2"),
        # The nearest declaration, if its scope goes on.
        ("void k(float2 v) { { int v = 1; } f(HERE); }", "float2"),
        ("void k(float2 v) { { int v = 1; f(HERE); } }", "int"),
        ("void k(float2 v) { for (half v : x) { f(HERE); } }", "half"),
        ("void k(float2 v) { for (half v : x) {} f(HERE); }", "float2"),
        ("void j(float2 v) {} void k() { f(HERE); }", ""),
        ("void k() { v = 1; f(HERE); }", ""),
        # Branches of a conditional.
        ("void k() {\n#if A\n float2 v;\n#else\n half v;\n#endif\n f(HERE); }", ""),
        ("void k() {\n#if A\n half v;\n#else\n half v;\n#endif\n f(HERE); }", "half"),
        ("void k() {\n#if A\n float2 v;\n#endif\n half v;\n f(HERE); }", "half"),
        ("void k() { unsigned const v; f(HERE); }", "unsigned"),
        # Not a value of the type.
        ("void k(float2* v) { f(HERE); }", "float2*"),
        ("void k(const float2* const v) { f(HERE); }", "const float2*"),
        ("void k() { float2 v[3]; f(HERE); }", "float2[]"),
        ("void k() { float2* v[3][4] = {}; f(HERE); }", "float2*[][]"),
        ("void k(float2 (*v)[3]) { f(HERE); }", "float2[]*"),
        # No variable.
        ("typedef float2 v; void k() { f(HERE); }", ""),
        ("void k(int (*v)(int)) { f(HERE); }", ""),
        ("float2 v(int a); void k() { f(HERE); }", ""),
    ],
)
def test_the_type_of_v(code: str, expected: str) -> None:
    declarations = Declarations(Code(code.replace("HERE", "v").encode()))
    assert type_like(declarations, "v", code.index("HERE"), ".+") == expected


def test_a_variable_of_the_same_name_in_an_inner_block_decides_nothing() -> None:
    source = (
        b"#include <cooperative_groups.h>\n"
        b"__global__ void k(cooperative_groups::coalesced_group g, float a) {\n"
        b"  { float2 a = make_float2(1, 2); }\n"
        b"  a = g.shfl(a, 0);\n"
        b"}\n"
    )
    inner = source.replace(b"; }\n  a = g.shfl(a, 0);\n", b"; a = g.shfl(a, 0); }\n")
    assert b"  a = g.shfl(a, 0);\n" in convert("k.cu", source).output
    assert b" a = make_float2(g.shfl(a.x, 0), g.shfl(a.y, 0)); }\n" in convert("k.cu", inner).output


@pytest.mark.parametrize(
    ("code", "is_object", "is_parsed"),
    [
        ("void k() { Prop v; f(v.x); }", True, False),
        ("struct A { int a; Prop\n  v ; };", True, False),
        ("void k() { Other v; f(v.x); }", False, False),
        ("Prop v;", True, True),
        ("void k(const Prop* v) { f(v->x); }", True, True),
        ("void k() { std::vector<Prop> v(2); }", True, True),
        ("void k() { Prop u, v; }", True, True),
        ("void k() { auto v = properties(0); }", True, True),
        ("void k() { Other v; v = properties(0); }", True, True),
        ("void k() { Prop u; Other v; }", False, True),
        ("void k() { v; Prop u; }", False, True),
    ],
)
def test_an_object_that_is_plainly_declared_needs_no_parser(
    code: str, is_object: bool, is_parsed: bool
) -> None:
    declarations = Declarations(Code(code.encode()))
    assert is_object_of(declarations, "Prop", "(?:get_)?properties", "v") == is_object
    assert declarations.is_parsed == is_parsed


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("void f() { float2 v; v.x = 1; }", True),
        ("void f(const float2& v) { g(v); }", True),
        ("float2 *v; void f() { float2 v[2]; }", True),
        ("void f() { float2 v; } void g() { int v; }", False),
        ("void f() { float2 a, v; }", False),
        ("#define V v\nfloat2 v;", False),
    ],
)
def test_a_type_right_before_a_name_needs_no_parser(code: str, expected: bool) -> None:
    assert is_only_behind(Code(code.encode()), "float2", "v") == expected
