"""What is passed over because it has no kind: all else has the kinds that it has without that."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.flow.lane_sets import with_sets
from hipport.source.flow.values import (
    LANE,
    SET,
    THREAD,
    WARP,
    Assignment,
    Values,
    values,
)
from hipport.source.text.source_text import Code
from tests.support.folders import FIXTURES

SOURCES = [
    path for path in sorted((FIXTURES / "cuda").rglob("*.cu")) if b"Idx" in path.read_bytes()
]
WRITTEN = b"""
#define WARP 32
#define LANE (threadIdx.x % WARP)
#define SELF lane
#define VOTE(x) __ballot(x)
enum { SHIFT = 5 };
__device__ void given(int at, unsigned mask) { int mine = at / WARP; use(mine, mask); }
__global__ void kernel(int n) {
    int lane = LANE, size = WARP * 2;
    auto twice = [](int one) { return one * 2; };
    int other = SELF + size;
    unsigned all = __activemask();
    given(threadIdx.x, VOTE(lane < 3));
    given(n, all);
    twice(other);
    n = threadIdx.x >> SHIFT;
}
__device__ unsigned everyone() { return __activemask(); }
__device__ int index() { const int x = threadIdx.x; return x; }
__device__ int lane_of() { return index() % WARP; }
__device__ int again(int n) { return n ? lane_of() : again(n - 1); }
__device__ int long_way(int n) { if (n) return threadIdx.x; return 0; }
__device__ void calling(int n) {
    unsigned set = everyone();
    int at = index() + n, mine = lane_of(), warp = index() >> SHIFT;
    int own = again(n), far = long_way(n);
}
__device__ void apart(int n) { int all = n + 1; given(all, WARP); }
"""


def kinds_in(data: bytes) -> list[tuple[str, dict[str, list[Assignment]]]]:
    code, rules = Code(data), load(is_audit=True)
    return [(each.function.name, each.variables) for each in values(code, rules)]


@pytest.mark.parametrize(
    "data",
    [WRITTEN, b"\n".join(path.read_bytes() for path in SOURCES)],
    ids=["written", "fixtures"],
)
def test_what_is_passed_over_has_no_kind(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = kinds_in(data)
    monkeypatch.setattr(Values, "may_have_kind", lambda self, names: True)
    assert quick == kinds_in(data)
    assert len(quick) > 2


def test_functions_that_use_a_set_are_among_those_that_may() -> None:
    code, rules = Code(WRITTEN), load(is_audit=True)
    using = {
        each.function.name
        for each in values(code, rules)
        if any(SET in one.kinds for every in each.variables.values() for one in every)
    }
    assert using == {"given", "kernel", "calling"}
    may_use = {each.function.name for each in with_sets(code, rules)}
    assert may_use == {each.function.name for each in values(code, rules)} - {"apart"}


def test_what_short_functions_return_has_the_kinds_of_its_value() -> None:
    calling = dict(kinds_in(WRITTEN))["calling"]
    assert {name: set(every[-1].kinds) for name, every in calling.items()} == {
        "set": {SET},
        "at": {THREAD},
        "mine": {LANE},
        "warp": {WARP},
        "own": {LANE},
        "far": set(),
    }


def test_a_file_that_makes_no_set_has_no_such_function() -> None:
    data = WRITTEN.replace(b"__activemask", b"all_of").replace(b"__ballot", b"vote")
    assert with_sets(Code(data), load(is_audit=True)) == []
