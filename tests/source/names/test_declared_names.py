"""Whether `WORD name(...)` declares a name, or a macro without a semicolon precedes a call."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.convert.pipeline import default_options
from hipport.source.names.counterparts import Decisions
from hipport.source.names.declared_names import Declarations
from hipport.source.names.variables import variable
from hipport.source.text.brackets import occurrences
from hipport.source.text.source_text import Code, Span
from tests.support.converting import convert

DECLARED = [
    "void f() { auto [name, b] = g(); }",
    "void f() { for (const auto& [name, b] : x) {} }",
    "void f() { dim3 name(8, 4); }",
    "void f() { dim3 name(n); }",
    "void f() { float4 name(1, 2, 3, 4); }",
    "void f() { cudaStream_t name(0); }",
    "void f() { int name(3); }",
    "struct Grid { Grid(int, int); };\nvoid f() { Grid name(8, 4); }",
    "using Grid = dim3;\nvoid f() { Grid name(8, 4); }",
    "template <typename T> void f() { T name(8); }",
    "Grid name(int a, int b);",
    "void f() { run<<<1, 1>>>(); int a, name, b; }",
    "#ifdef A\nint\n#else\nlong\n#endif\nname(int a);",
    "#define CHECK \\\n  log()\nint name(int a);",
]
CALLED = [
    "void f() { CHECK name(8, 4); }",
    "void f() { CHECK name(&p, 4); }",
    "void f() { CHECK name(sizeof(int)); }",
    "#define CHECK\nvoid f() { CHECK name(n); }",
    "#define CHECK log(__LINE__);\nvoid f() { CHECK name(n); }",
]
USED = [
    "void f() { return name(8); }",
    "void f() { name(8); }",
    "void f() { run<<<blocks, name, 0, stream>>>(x); }",
    "void f() { run<<<blocks, name>>>(x); }",
    "void f() { run<T, name>(x); }",
    "void f() { run<T, name, U>(x); }",
    "void f() { float x[name] = {}; }",
    "void f() { x[i][name] = 1; }",
    "void f() {\n#ifdef A\n  run();\n#endif\n  name(8);\n}",
    "void f() {\n#if A >= \\\n  B\n  name(8);\n#endif\n}",
    "void f() {\n#ifdef A\n#ifdef B\n  name(8);\n#endif\n#endif\n}",
]


def declarations_of(text: str) -> Declarations:
    rules = load()
    is_type = Decisions(rules, default_options(rules)).is_type
    return Declarations(Code(f"{text}\n".encode()), is_type=is_type)


def scope_of(text: str, name: str = "name") -> list[Span] | None:
    declarations = declarations_of(text)
    at = next(occurrences(declarations.code.code, name))
    return declarations.scope(Span(at, at + len(name)))


@pytest.mark.parametrize("text", DECLARED)
def test_a_type_before_a_name_declares_it(text: str) -> None:
    assert scope_of(text)


@pytest.mark.parametrize("text", CALLED)
def test_a_macro_before_a_call_declares_nothing(text: str) -> None:
    assert scope_of(text) is None


@pytest.mark.parametrize("text", USED)
def test_a_use_that_can_declare_nothing_needs_no_parser(text: str) -> None:
    declarations = declarations_of(text)
    at = next(occurrences(declarations.code.code, "name"))
    assert declarations.scope(Span(at, at + len("name"))) is None
    assert not declarations.is_parsed


@pytest.mark.parametrize("parameter", ["int name", "int name = 3", "typename name"])
def test_a_parameter_of_a_template_is_known_in_the_template(parameter: str) -> None:
    text = f"template <{parameter}>\nvoid f() {{ g<name>(); }}"
    assert scope_of(f"{text}\nvoid h();") == [Span(0, len(text))]


def test_a_variable_may_have_a_type_that_nothing_defines() -> None:
    code = Code(b'void f() { string source("text"); compile(source); }\n')
    found = variable(Declarations(code), "source", code.code.index("source)"))
    assert found is not None
    assert (found.type, code.slice(found.value or Span(0, 0))) == ("string", '("text")')


def test_a_block_named_like_cuda_is_no_unknown_function() -> None:
    source = (
        b"#include <cuda_runtime.h>\n__global__ void k();\nvoid f() {\n"
        b"  dim3 cudaBlock(16, 2);\n  k<<<1, cudaBlock>>>();\n  CHECK cudaFree(0);\n}\n"
    )
    converted = convert("a.cu", source)
    assert [(each.code, each.symbol) for each in converted.findings] == []
    assert b"  CHECK hipFree(0);\n" in converted.output
