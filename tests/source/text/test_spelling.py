"""Code whose spelling differs in words alone: it is found and converted alike."""

from __future__ import annotations

import pytest

from hipport.source.text.source_text import Code
from tests.support.converting import convert


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("#define A \\\n  b\n", "#define A  \n  b\n"),
        ("#define A(x)\\\r\n  b\r\n", "#define A(x) \r\n  b\r\n"),
        ("#define A f(x,\\\ny)\n", "#define A f(x, \ny)\n"),
        # A name that goes on stays in two.
        ("cuda\\\nFree(p);\n", "cuda\\\nFree(p);\n"),
        ("cuda\\\n Free(p);\n", "cuda \n Free(p);\n"),
        ("if (a and b or not(c) or d not_eq e)", "if (a &&  b || !  (c) || d !=     e)"),
        (
            "operand x = a.and(b), $not = color or_ and1",
            "operand x = a.and(b), $not = color or_ and1",
        ),
    ],
)
def test_one_spelling(written: str, code: str) -> None:
    assert Code(written.encode()).code == code


def test_directives_reach_to_the_end_of_their_last_line() -> None:
    code = Code(b"#if A \\\n    && B\n#define C \\\n  D\n#endif\n")
    assert [code.slice(each.span) for each in code.directives] == [
        "#if A \\\n    && B",
        "#define C \\\n  D",
        "#endif",
    ]


def test_macros_are_converted_alike_on_one_line_and_on_several() -> None:
    for text in (
        b"#define LANES %s0xffffffff\n#define SUM(v, o) %s((v) + __shfl_xor_sync(LANES, (v), o))\n",
        b"#if defined(__CUDA_ARCH__) %s&& __CUDA_ARCH__ >= 700\nint a;\n#endif\n",
    ):
        places = text.count(b"%s")
        alone, continued = (
            convert("a.cu", b"#include <cuda_runtime.h>\n" + text % ((gap,) * places))
            for gap in (b"", b"\\\n    ")
        )
        assert continued.output.replace(b"\\\n    ", b"") == alone.output
        found = [[each.code for each in side.findings] for side in (alone, continued)]
        assert found[0] == found[1]
