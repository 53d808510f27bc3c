"""Numbers that a file gives names to, whichever way it does."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.names.constants import number
from hipport.source.text.source_text import Code

KNOWN = [
    "#define W 32",
    "#define W (1 << 5)",
    "const int a, W = 32;",
    "constexpr int X = 16, W = X * 2;",
    "static constexpr unsigned W{32};",
    "constexpr unsigned X{16}, W{X + X};",
    "inline constexpr int W = 0x20u;",
    "enum { W = 32 };",
    "enum Sizes : int { A = 1, W = 1 << 5 };",
    "enum class Size { A = 31, W };",
    "enum { A = 30, B, W, C };",
    "template <int N> struct S { enum { A = 31, // one less\n W }; };",
    "std::size_t const X = 16, W = X * 2;",
    "struct S {\npublic:\n    static constexpr int W = {32};\n};",
    "#include <a.h>\nconst int W = 32;",
    "const int X = ;\nconst int W = 32;",
    "enum {\n#ifdef A\n    X = 1,\n#endif\n    Y = 31,\n    W\n};",
    "#ifdef __HIP_PLATFORM_AMD__\n#define W 32\n#else\n#define W 16\n#endif",
]
UNKNOWN = [
    "int W = 32;",
    "#define W 16\n#undef W\n#define W 32",
    "enum { A = f(), W };",
    "enum { W = 1, B }; namespace n { enum { W = 2 }; }",
    "constexpr auto W = f(1, 2);",
    "struct S { int W; int f() const { int W = 32; return W; } };",
    "void f(const int W = 32);",
    "const int *W = 32;",
    "enum { A } W = 32;",
    "enum {\n#ifdef A\n    X,\n#endif\n    W\n};",
]


@pytest.mark.parametrize("text", KNOWN)
def test_a_constant_has_its_value(text: str) -> None:
    assert number(Code(f"{text}\n".encode()), load(), "W") == 32


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_not_certain_has_none(text: str) -> None:
    assert number(Code(f"{text}\n".encode()), load(), "W") is None


def test_enumerators_count_from_zero() -> None:
    code = Code(b"enum Kind { FIRST, SECOND, THIRD = 7, LAST };\n")
    values = [number(code, load(), name) for name in ("FIRST", "SECOND", "THIRD", "LAST")]
    assert values == [0, 1, 7, 8]


def test_constants_that_need_each_other_are_given_up_soon() -> None:
    names = [f"n{index}" for index in range(20)]
    lines = [f"#define {name} ({' + '.join(names)})\n" for name in names]
    code = Code("".join(lines).encode())
    assert number(code, load(), "n7 + 1") is None
    assert number(Code(b"#define ONE TWO\n#define TWO ONE\n"), load(), "ONE") is None


def test_a_long_chain_of_constants_has_a_value() -> None:
    lines = [f"#define name_{index} (name_{index + 1} + 1)\n" for index in range(50)]
    code = Code("".join([*lines, "#define name_50 7\n"]).encode())
    assert number(code, load(), "name_0") == 57
