"""Grid, block and LDS as far as they are constants; what is not certain is no number."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.trace.source_tree import read_tree

HEADER = b"""\
#pragma once
#define SHARED_BLOCK 192
constexpr int kHeader = 1 << 7;
enum Sizes { kSmall = 32, kNext };
struct Hidden { static constexpr int kMember = 99; };
"""
SOURCE = """\
#include "sizes.h"
#define BLOCK 64
const int kWide = BLOCK * 4;
namespace deep { constexpr int kDeep = 48; }
struct Policy { static constexpr int kOwn = 96; void run(float *x); };
template <int N> struct Box { void run(float *x); };
__global__ void k(float *x);
void f(float *x, int given)
{
    const dim3 fixed(16, 8, 2);
    dim3 changed(16, 16);
    changed.x = 32;
    int once = 128;
    int twice = 128;
    twice *= 2;
    dim3 later;
    int counted(4);
    dim3 filled, partly;
    filled.x = BLOCK;
    filled.y = 2;
    if (given) partly.x = 8;
    dim3 again;
    again.x = 8;
    again.x = 16;
    @
}
"""
KNOWN = {
    "64": (64,),
    "BLOCK": (64,),
    "SHARED_BLOCK": (192,),
    "kWide": (256,),
    "kHeader": (128,),
    "kNext * 2": (66,),
    "deep::kDeep": (48,),
    "Policy::kOwn": (96,),
    "once": (128,),
    "once / 2 + BLOCK": (128,),
    "fixed": (16, 8, 2),
    "dim3(16, BLOCK / 4)": (16, 16),
    "filled": (64, 2, 1),
    "dim3(fixed)": (16, 8, 2),
    "{8, 4}": (8, 4),
    "16 * sizeof(double)": (128,),
    "(unsigned)once": (128,),
}
UNKNOWN = [
    "given",
    "changed",
    "twice",
    "partly",
    "again",
    "later",
    "kDeep",
    "kOwn",
    "kMember",
    "Hidden::kMember",
    "once + given",
    "min(given, 256)",
    "fixed.x",
]


def block_of(text: str) -> tuple[int, ...] | None:
    source = SOURCE.replace("@", f"k<<<1, {text}>>>(x);").encode()
    tree = read_tree([("sizes.h", HEADER), ("a.cu", source)], load(is_audit=True))
    (launch,) = tree.launches
    return launch.block.values


@pytest.mark.parametrize("text", KNOWN)
def test_a_constant_has_its_value(text: str) -> None:
    assert block_of(text) == KNOWN[text]


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_not_certain_has_none(text: str) -> None:
    assert block_of(text) is None


def test_a_parameter_of_a_template_hides_a_constant() -> None:
    source = b"""\
constexpr int N = 64;
__global__ void k(float *x);
template <int N> struct Box { void run(float *x) { k<<<1, N>>>(x); } };
template <int N> void run(float *x) { k<<<1, N>>>(x); }
void plain(float *x) { k<<<1, N>>>(x); }
"""
    tree = read_tree([("a.cu", source)], load(is_audit=True))
    assert [each.block.values for each in tree.launches] == [None, None, (64,)]


@pytest.mark.parametrize(
    ("body", "is_in_loop"),
    [
        ("for (int i = 0; i < n; ++i) k<<<1, 64>>>(x);", True),
        ("while (n--) { if (n) k<<<1, 64>>>(x); }", True),
        ("do { k<<<1, 64>>>(x); } while (--n);", True),
        ("do { k<<<1, 64>>>(x); } while (0);", False),
        ("for (int i = 0; i < n; ++i) { } k<<<1, 64>>>(x);", False),
        ("if (n) k<<<1, 64>>>(x);", False),
        ("for (;;) { auto go = [&] { k<<<1, 64>>>(x); }; go(); }", True),
    ],
)
def test_launches_in_loops(body: str, is_in_loop: bool) -> None:
    source = f"__global__ void k(float *x);\nvoid f(float *x, int n) {{ {body} }}\n".encode()
    tree = read_tree([("a.cu", source)], load(is_audit=True))
    assert [each.in_loop for each in tree.launches] == [is_in_loop]


def test_what_a_loop_changes_behind_a_launch_is_not_constant() -> None:
    source = b"""\
__global__ void k(float *x);
void f(float *x) { int b = 64; for (int i = 0; i < 3; ++i) { k<<<1, b>>>(x); b *= 2; } }
void g(float *x) { int b = 64; for (int i = 0; i < 3; ++i) { k<<<1, b>>>(x); } }
"""
    tree = read_tree([("a.cu", source)], load(is_audit=True))
    assert [each.block.values for each in tree.launches] == [None, (64,)]


def test_the_other_branch_of_a_conditional_is_no_part_of_a_function() -> None:
    source = b"""\
#if WIDE
__global__ void k(float *x) { }
#else
__global__ void k(float *x, int = 0) { }
#endif
void f(float *x) { k<<<1, 64>>>(x); }
"""
    (launch,) = read_tree([("a.cu", source)], load(is_audit=True)).launches
    assert launch.name is not None and launch.name.last == "k"
