"""Sizes of shared memory that are made of constants of the tree's headers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

HEADER = """#pragma once
#define PAD 8
namespace ours {
constexpr int kRows = 128, kColumns = 64;
constexpr int kStages = 4;
constexpr int kTile = kRows * (kColumns + PAD) * sizeof(float);
}
"""
SOURCE = """#include "all.h"
__global__ void k(float* x);
TEMPLATE
void f(float* x) {
  const int bytes = SIZE;
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  k<<<1, 128, bytes>>>(x);
}
"""


def asked(tree: Path, size: str, template: str = "", more: str = "") -> list[tuple[str, str]]:
    """The severity and the message of each finding about a size."""
    source = SOURCE.replace("SIZE", size).replace("TEMPLATE", template)
    files = {"sizes.h": HEADER + more, "all.h": '#include "sizes.h"\n', "k.cu": source}
    make_tree(tree, files)
    done = hipport("audit", ".", "--format", "json", cwd=tree)
    found = json.loads(done.out)["findings"]
    return [(each["severity"], each["message"]) for each in found if each["code"] == "HP-MEM-012"]


def test_more_than_a_block_has(tmp_path: Path) -> None:
    size = "ours::kStages * ours::kRows * (ours::kColumns + PAD) * sizeof(float)"
    ((severity, message),) = asked(tmp_path, size)
    assert severity == "blocker"
    assert "asks for 147456 bytes" in message


@pytest.mark.parametrize("size", ["ours::kTile", "kRows * (kColumns + PAD) * sizeof(float)"])
def test_less(tmp_path: Path, size: str) -> None:
    assert asked(tmp_path, size) == []


@pytest.mark.parametrize(
    ("size", "template", "more"),
    [
        ("Tiles::kTile", "template <typename Tiles>", ""),
        ("kTile", "template <int kTile>", ""),
        ("ours::kTile", "", "namespace others { constexpr int kTile = 3; }\n"),
        ("Tiles<8>::kTile", "", ""),
        ("ours::kTile + extra()", "", ""),
    ],
)
def test_what_may_be_another_number(tmp_path: Path, size: str, template: str, more: str) -> None:
    ((severity, message),) = asked(tmp_path, size, template, more)
    assert severity == "review"
    assert "cannot be seen here" in message


LAUNCHING = """#include "all.h"
__global__ void k(float* x);
void f(float* x, int n) {
  const size_t smem = sizeof(float) * (ours::kStages * ours::kRows * ours::kColumns + n) + FURTHER;
  k<<<1, 128, smem>>>(x);
}
"""


@pytest.mark.parametrize(("further", "is_found"), [("2 * n", False), ("n * n + 64", True)])
def test_sum_of_a_launch_without_a_request(tmp_path: Path, further: str, is_found: bool) -> None:
    """The constants make 128 KiB, or 32."""
    rows = 128 if is_found else 32
    files = {
        "all.h": HEADER.replace("kRows = 128", f"kRows = {rows}"),
        "k.cu": LAUNCHING.replace("FURTHER", further),
    }
    make_tree(tmp_path, files)
    done = hipport("audit", ".", "--format", "json", cwd=tmp_path)
    found = [each for each in json.loads(done.out)["findings"] if each["code"] == "HP-MEM-012"]
    assert [each["line"] for each in found] == [4] * is_found
    assert all("is at least 131136 bytes" in each["message"] for each in found)
