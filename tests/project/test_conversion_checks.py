"""The checks of converted code fail on each kind of damage, and pass a right conversion."""

from __future__ import annotations

import pytest

from tests.support.conversion_checks import changeable_lines, differences, source_lines
from tests.support.left_over import left_headers, left_launches, left_names

BEFORE = """#include <cuda_runtime.h>
// cudaFree is a word here
void f(int n) {
    g(n, "cudaFree");
    kernel<int>
        <<<
            n, 256
        >>>(n);
    cudaFree(
        0);
}
"""
AFTER = """#include <hip/hip_runtime.h>
// cudaFree is a word here
void f(int n) {
    g(n, "cudaFree");
    hipLaunchKernelGGL(HIP_KERNEL_NAME(kernel<int>),
        dim3(n), dim3(256), 0, 0, n);
    hipFree(
        0);
}
"""


def test_a_right_conversion_passes() -> None:
    assert differences(BEFORE, AFTER) == []
    assert left_names(AFTER) == []


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("// cudaFree", "// hipFree", "comments or literals differ"),
        ('"cudaFree"', '"hipFree"', "comments or literals differ"),
        ("void f", "void h", "lost f"),
        ("void f", "void h", "gained h"),
        ("    g(n,", "\tg(n,", "line 4 changed"),
        ("void f", "#define A\nvoid f", "added '#define A'"),
    ],
)
def test_damage_is_seen(old: str, new: str, wrong: str) -> None:
    assert wrong in differences(BEFORE, AFTER.replace(old, new, 1))


def test_only_lines_with_cuda_may_change() -> None:
    assert changeable_lines(BEFORE) == {1, 5, 6, 7, 8, 9, 10}


@pytest.mark.parametrize(
    "text",
    [
        "// cudaFree",
        "a.cudaFree(); b->cudaFree(); mine::cudaFree();",
        "#define cudaFree f\ncudaFree(0);",
        "class CUDAContext; CUDAContext c;",
        "__syncthreads(); min(a, b);",
        "cuda_stream_of(my_cudaFree);",
    ],
)
def test_no_name_is_left(text: str) -> None:
    assert left_names(text) == []


@pytest.mark.parametrize(
    "text",
    ["cudaFree(0)", "::cudaFree(0)", "f(cudaFree)", "#define A cudaFree", "cudaNotInAnyRule(0)"],
)
def test_a_name_is_left(text: str) -> None:
    assert len(left_names(text)) == 1


def test_headers_that_are_left() -> None:
    text = '#include <cuda_runtime.h>\n#include "mine.h"\n#include <hip/hip_runtime.h>\n'
    assert left_headers(text) == [("cuda_runtime.h", 1)]


def test_launches_that_are_left() -> None:
    assert left_launches('// <<<\nk<<<1, 2>>>(); "<<<"\n') == [("<<<", 2)]


def test_lines_of_the_conversion_are_traced_to_the_source() -> None:
    origin = source_lines(BEFORE, AFTER)
    assert origin[:4] == [range(1, 2), range(2, 3), range(3, 4), range(4, 5)]
    assert 9 in origin[6]
    assert origin[-2:] == [range(11, 12), range(12, 13)]
