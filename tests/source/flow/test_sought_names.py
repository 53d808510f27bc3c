"""A function that a template only uses where the compiler finds it needs no counterpart."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.names.counterparts import Decisions

RULES = load(is_audit=True)
SOUGHT = """\
template <typename T, typename = void>
struct Add {};
template <typename T>
struct Add<T, std::void_t<decltype(atomicAdd_block(std::declval<T*>(), std::declval<T>()))>> {
  __device__ static T add(T* to, T value) { return atomicAdd_block(to, value); }
};
"""


def lines(code: str) -> list[int]:
    result = convert_source(
        code.encode(), "k.cuh", "cuda", Decisions(RULES, default_options(RULES))
    )
    return sorted({each.start.line for each in result.findings if each.needs_person})


def test_a_use_where_the_function_is_sought_is_none() -> None:
    assert lines(SOUGHT) == []


def test_a_use_behind_it_is_one() -> None:
    behind = "__device__ int f(int* a) { return atomicAdd_block(a, 1); }\n"
    assert lines(SOUGHT + behind) == [7]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("std::declval<T*>(), std::declval<T>()", "(int*)0, 1", [4, 5]),
        ("std::void_t<decltype(", "std::enable_if_t<sizeof(", [4, 5]),
        ("decltype(atomicAdd_block", "decltype(atomicAdd", [5]),
    ],
)
def test_what_is_not_sought_is_one(old: str, new: str, found: list[int]) -> None:
    assert lines(SOUGHT.replace(old, new)) == found
