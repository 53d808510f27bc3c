"""What a case file cannot show: line ends, byte order marks, encodings, tabs, missing newlines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.converting import convert
from tests.support.source_cases import case_files, load

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            b"#include <cuda_runtime.h>\r\nvoid f(void *p) {\r\n  cudaFree(p);\r\n}\r\n",
            b"#include <hip/hip_runtime.h>\r\nvoid f(void *p) {\r\n  hipFree(p);\r\n}\r\n",
            id="crlf",
        ),
        pytest.param(
            b"__global__ void k();\r\nvoid f() { k<<<1, 2>>>(); }\r\n",
            b"#include <hip/hip_runtime.h>\r\n__global__ void k();\r\n"
            b"void f() { hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0); }\r\n",
            id="inserted-include-takes-crlf",
        ),
        pytest.param(
            b"#include <cuda_runtime.h>\r\n#include <cuda.h>\r\n#include <vector>\r\n",
            b"#include <hip/hip_runtime.h>\r\n#include <vector>\r\n",
            id="removed-line-takes-its-crlf",
        ),
        pytest.param(
            b"#include <cuda_runtime.h>\r\nvoid a(void *p) { cudaFree(p); }\n\r\n\nint x;\r\n",
            b"#include <hip/hip_runtime.h>\r\nvoid a(void *p) { hipFree(p); }\n\r\n\nint x;\r\n",
            id="mixed-line-ends",
        ),
        pytest.param(
            b"#define FREE(p) \\\r\n  cudaFree( \\\r\n    p)\r\n",
            b"#define FREE(p) \\\r\n  hipFree( \\\r\n    p)\r\n",
            id="crlf-after-backslash",
        ),
        pytest.param(
            BOM + b"#include <cuda_runtime.h>\nint *p;\n",
            BOM + b"#include <hip/hip_runtime.h>\nint *p;\n",
            id="bom",
        ),
        pytest.param(
            BOM + b"#include <cuda_runtime.h>\n#include <cstdio>\n__global__ void k() {}\n",
            BOM + b"#include <hip/hip_runtime.h>\n#include <cstdio>\n__global__ void k() {}\n",
            id="bom-before-mapped-include",
        ),
        pytest.param(
            b"// gr\xfc\xdfe, \xb5s\n#include <cuda_runtime.h>\n"
            b'const char *s = "caf\xe9"; void f(void *p) { cudaFree(p); }\n',
            b"// gr\xfc\xdfe, \xb5s\n#include <hip/hip_runtime.h>\n"
            b'const char *s = "caf\xe9"; void f(void *p) { hipFree(p); }\n',
            id="latin-1",
        ),
        pytest.param(
            "/* 温度 */ #include <x>\nvoid 释放(void *p) { cudaFree(p); } // ✓\n".encode(),
            "/* 温度 */ #include <x>\nvoid 释放(void *p) { hipFree(p); } // ✓\n".encode(),
            id="utf-8",
        ),
        pytest.param(
            b"#include <cuda_runtime.h>\nvoid f(void *p) { cudaFree(p); }",
            b"#include <hip/hip_runtime.h>\nvoid f(void *p) { hipFree(p); }",
            id="no-final-newline",
        ),
        pytest.param(b"#include <cuda_runtime.h>", b"#include <hip/hip_runtime.h>", id="one-line"),
        pytest.param(
            b"#include <vector>\n#include <cuda_runtime.h>\n#include <cuda.h>",
            b"#include <vector>\n#include <hip/hip_runtime.h>\n",
            id="removed-last-line",
        ),
        pytest.param(
            b"#include\t<cuda_runtime.h>\t// rt\nvoid f(void *p)\n{\n\tcudaFree(p);\t\n}\n\f\n",
            b"#include\t<hip/hip_runtime.h>\t// rt\nvoid f(void *p)\n{\n\thipFree(p);\t\n}\n\f\n",
            id="tabs-and-form-feed",
        ),
        pytest.param(
            b"#include <cuda_runtime.h>\nvoid f(void *p) {   \n  cudaFree(p);  \t\n\n\n}   \n",
            b"#include <hip/hip_runtime.h>\nvoid f(void *p) {   \n  hipFree(p);  \t\n\n\n}   \n",
            id="trailing-blanks",
        ),
    ],
)
def test_only_the_names_change(source: bytes, expected: bytes) -> None:
    name = "case.cpp" if b"__global__" not in source else "case.cu"
    result = convert(name, source)
    assert result.output == expected
    assert convert(name, expected).output == expected


def test_include_goes_behind_a_byte_order_mark() -> None:
    """compile_causes: an include before the mark makes the file start with a stray character."""
    result = convert("case.cu", BOM + b"__global__ void k() {}\n")
    assert result.output == BOM + b"#include <hip/hip_runtime.h>\n__global__ void k() {}\n"


def test_include_goes_before_the_first_include_behind_a_byte_order_mark() -> None:
    result = convert("case.cu", BOM + b"#include <cstdio>\n__global__ void k() {}\n")
    assert result.output == (
        BOM + b"#include <hip/hip_runtime.h>\n#include <cstdio>\n__global__ void k() {}\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\n", id="newline"),
        pytest.param(b"\r\n\r\n", id="crlf-only"),
        pytest.param(BOM, id="bom-only"),
        pytest.param(b"// no code", id="comment-without-newline"),
        pytest.param(b"int x;\r// old Mac cudaMalloc\rint y;\r", id="cr-only"),
        pytest.param(b"// cudaMalloc \xff\xfe\x80\n", id="bytes-of-no-encoding"),
        pytest.param(b'const char *s = "\\xe4 cudaFree \xe4";\n', id="latin-1-in-a-string"),
        pytest.param(b"/* cudaFree", id="unterminated-comment"),
        pytest.param(b"int a; // \\\r\ncudaFree(p);\r\n", id="continued-comment-crlf"),
        pytest.param(b"\t\x0b\x0c\n", id="blanks"),
    ],
)
def test_not_touched(source: bytes) -> None:
    for name in ("case.cpp", "case.cu", "case.h", "case.c"):
        result = convert(name, source)
        assert result.output == source
        assert result.findings == []


@pytest.mark.parametrize(
    ("source", "column"),
    [
        pytest.param("/* é */ int i = cudaFrobnicateDevice(0);\n".encode(), 17, id="two-byte"),
        pytest.param("/* 😀 */ int i = cudaFrobnicateDevice(0);\n".encode(), 17, id="four-byte"),
        pytest.param(b"/* \xe9 */ int i = cudaFrobnicateDevice(0);\n", 17, id="latin-1"),
        pytest.param(BOM + b"int i = cudaFrobnicateDevice(0);\n", 9, id="bom"),
        pytest.param(b"\tint i = cudaFrobnicateDevice(0);\n", 10, id="tab-is-one-column"),
    ],
)
def test_columns_count_characters(source: bytes, column: int) -> None:
    result = convert("case.cpp", source)
    assert result.output == source
    assert [(each.line, each.column, each.code) for each in result.findings] == [
        (1, column, "HP-API-002")
    ]


def test_lines_are_counted_across_crlf_and_continuations() -> None:
    source = b"#define A \\\r\n  1\r\n\r\nint i = cudaFrobnicateDevice(A);\r\n"
    assert [(each.line, each.column) for each in convert("case.cpp", source).findings] == [(4, 9)]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(b"#defineS <cuComplex.h>", id="header-in-unknown-directive"),
        pytest.param(b"#include<cuda.h>()<<<1,2>>>()", id="launch-behind-an-include"),
        pytest.param(b"<<<1,2>>>()", id="launch-without-kernel"),
        pytest.param(b"cudaMemcpyToSymbol(\n#include <cuda.h>\nx)", id="include-in-arguments"),
        pytest.param(b"cudnnSoftmaxForward()", id="call-without-arguments"),
        pytest.param(b"#define F cuda##", id="pasting-at-the-end"),
        pytest.param(b"#", id="lone-hash"),
        pytest.param(b"#include", id="include-of-nothing"),
        pytest.param(b"#if\n#endif\n#else\n#endif cudaFree", id="unmatched-conditionals"),
        pytest.param(b"cudaFree\x00cudaMalloc(", id="zero-byte"),
        pytest.param(b"k<<<" * 50 + b"1,2>>>(x);", id="nested-chevrons"),
        pytest.param(b"cudaMalloc(" * 500, id="nested-calls"),
        pytest.param(b"cudaFree(" + b"(" * 20000, id="deep-parentheses"),
        pytest.param(b"#if A\n" * 2000 + b"cudaFree(p);\n", id="deep-conditionals"),
    ],
)
def test_broken_sources_are_converted_without_a_crash(source: bytes) -> None:
    for options in ((), ("--libs", "roc"), ("--launch", "keep")):
        convert("case.cu", convert("case.cu", source, options).output, options)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=() if number % 10 == 0 else pytest.mark.slow)
        for number, path in enumerate(case_files())
    ],
    ids=lambda path: path.name,
)
def test_line_ends_and_marks_change_nothing_else(path: Path) -> None:
    """Every golden case again: with CRLF, with a byte order mark, without its final newline."""
    case = load(path)
    source, output = case.input.encode(), case.output.encode()
    variants = [
        (source.replace(b"\n", b"\r\n"), output.replace(b"\n", b"\r\n")),
        (BOM + source, BOM + output),
        (source.rstrip(b"\n"), output.rstrip(b"\n")),
    ]
    for variant, expected in variants:
        result = convert(case.path, variant, case.options)
        assert result.output == expected
        assert result.findings == list(case.findings)
