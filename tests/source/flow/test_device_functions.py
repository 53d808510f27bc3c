"""The parameters of device functions, as the syntax tree has them."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.flow.device_functions import functions, parameters_in
from hipport.source.text.source_text import Code

MARKED = b"""
#define KERNEL extern "C" __global__ void
#define BOUND __launch_bounds__(256)
#define INLINE __attribute__((always_inline)) inline
#ifdef __CUDACC__
#define ANYWHERE __host__ __device__
#define ANYWHERE_INLINE ANYWHERE INLINE
#else
#define ANYWHERE
#endif
#define ON_DEVICE \\
    __device__ INLINE
#define MAKE(name) __device__ int name(int x) { return x; }
#ifdef KERNEL
#undef KERNEL
#endif
KERNEL BOUND first(int *x) { x[0] = 1; }
ANYWHERE int second(int x) { return x; }
ANYWHERE_INLINE int third(int x) { return x; }
template <typename T> ON_DEVICE T fourth(T x) { return x; }
MAKE(fifth)
INLINE int host(int x) { return x; }
__global__ void sixth(int *x) { x[0] = ON_DEVICE_FLAG; }
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n", []),
        ("int n, float *x", [("n", ""), ("x", "")]),
        ("T (&data)[4], T *__restrict__ out", [("data", ""), ("out", "")]),
        ("int, bool is_last = (1 < 2)", [("", ""), ("is_last", "(1 < 2)")]),
        ("std::pair<int, int> p = make(1, 2), int rows[3]", [("p", "make(1, 2)"), ("rows", "")]),
        ("F f, Args... rest", [("f", ""), ("rest", "")]),
        ("1 + 2", []),
        (f"int {'n' * 4_000}", []),
    ],
)
def test_parameters(text: str, expected: list[tuple[str, str]]) -> None:
    assert [tuple(each) for each in parameters_in(text)] == expected


def test_macros_that_stand_for_keywords_mark_functions() -> None:
    found = functions(Code(MARKED), load())
    assert [(each.name, each.is_kernel) for each in found] == [
        ("name", False),
        ("first", True),
        ("second", False),
        ("third", False),
        ("fourth", False),
        ("sixth", True),
    ]
