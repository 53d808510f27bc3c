"""How many threads the block of a launch has."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.flow.launched_blocks import launched_blocks, size_given
from hipport.source.names.declared_names import Declarations
from hipport.source.text.source_text import Code

KNOWN = [
    ("dim3 block(8, 4);", "block", 32),
    ("dim3 block(n); block = dim3(4, 4, 2);", "block", 32),
    ("dim3 block{8, 4};", "block", 32),
    ("dim3 block = {8, 4};", "block", 32),
    ("auto block = dim3(32);", "block", 32),
    ("const int threads = 32; dim3 block(threads);", "block", 32),
    ("int threads = 32; int block = threads; threads = 64;", "block", 32),
    ("int block = (2) * (16);", "block", 32),
    ("", "dim3(8, 4)", 32),
    ("", "dim3()", 1),
    ("", "dim3{}", 1),
    ("", "32", 32),
]
UNKNOWN = [
    ("dim3 block;", "block"),
    ("dim3 block(8, 4); block.x = 64;", "block"),
    ("int block = 32; ask(&block);", "block"),
    ("MACRO block(8, 4);", "n"),
]


@pytest.mark.parametrize(("before", "block", "expected"), KNOWN)
def test_the_size_of_a_block(before: str, block: str, expected: int) -> None:
    assert size_of(before, block) == expected


@pytest.mark.parametrize(("before", "block"), UNKNOWN)
def test_a_size_that_may_be_another_is_unknown(before: str, block: str) -> None:
    assert size_of(before, block) is None


def size_of(before: str, block: str) -> int | None:
    code = Code(f"void f(int n) {{ {before} k<<<1, {block}>>>(); }}\n".encode())
    (found,) = launched_blocks(Declarations(code), load())
    return found.threads


def test_a_variable_whose_members_a_function_of_the_driver_is_given() -> None:
    sizes = "grid.x, grid.y, grid.z, block.x, block.y, block.z"
    code = Code(
        "void f(CUfunction k, int n) {\n"
        "  const dim3 block(8, 4), grid(1, n, n);\n"
        f"  cuLaunchKernel(k, {sizes}, 0, 0, 0, 0);\n}}\n".encode()
    )
    (found,) = launched_blocks(Declarations(code), load())
    assert (found.launch.grid, found.launch.block) == ("grid", "block")
    assert found.threads == 32


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ("dim3 grid(n / 32, 2);", "n / 32, 2"),
        ("auto grid = dim3(n / 32);", "n / 32"),
        ("int grid = (n + 31) / (32);", "(n + 31) / (32)"),
    ],
)
def test_what_a_grid_is_made_of(given: str, size: str) -> None:
    code = Code(f"void f(int n) {{ {given} k<<<grid, 64>>>(); }}\n".encode())
    found = size_given(Declarations(code), load(), "grid", code.code.index("k<<<"))
    assert found is not None
    assert code.slice(found) == size


def test_a_block_of_the_name_of_another_functions_constant() -> None:
    code = Code(
        b"void f() {\n  const int threads = 32;\n  k<<<1, threads>>>();\n}\n"
        b"void g() {\n  const dim3 threads(5, 5);\n  l<<<1, threads>>>();\n}\n"
    )
    found = launched_blocks(Declarations(code), load())
    assert [(each.launch.kernel, each.threads) for each in found] == [("k", 32), ("l", 25)]
