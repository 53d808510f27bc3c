"""Members called `warpSize` of structures that another file of the tree defines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree, read_tree

STRUCTURE = """#pragma once
struct Facts {
  int id;
  int warpSize;
  int warps(int n) const;
};
Facts facts(int id);
"""
FILLED = """#include "facts.h"
#include <cuda_runtime.h>
Facts facts(int id) {
  Facts found;
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, id);
  found.warpSize = prop.warpSize;
  return found;
}
int Facts::warps(int n) const { return n / warpSize; }
"""
USED = """#include "facts.h"
__global__ void k(int n);
void launch(const Facts &facts) { k<<<1, 4 * facts.warpSize>>>(1); }
void other(int id) { k<<<1, ::facts(id).warpSize>>>(1); }
"""


def converted(tree: Path, files: dict[str, str]) -> tuple[dict[str, str], str]:
    """The files that convert writes, and what it says of HP-WARP-018."""
    make_tree(tree, {f"src/{name}": text for name, text in files.items()})
    done = hipport("convert", "src", "--launch", "keep", "--report", "out.json", cwd=tree)
    assert done.code == 0
    return read_tree(tree / "src_hip"), (tree / "out.json").read_text()


def test_what_is_filled_with_32_is_no_finding(tmp_path: Path) -> None:
    files, report = converted(tmp_path, {"facts.h": STRUCTURE, "a.cpp": FILLED, "b.cu": USED})
    assert "found.warpSize = 32;" in files["a.cpp"]
    assert "return n / warpSize;" in files["a.cpp"]
    assert "k<<<1, 4 * facts.warpSize>>>" in files["b.cu"]
    assert "HP-WARP-018" not in report


@pytest.mark.parametrize(
    ("header", "member"),
    [
        ("cudaDeviceProp props();", "props().warpSize"),
        ("struct Facts { int warps; };", "facts().warpSize"),
        ("struct Facts { struct { int warpSize; } of; };", "facts().warpSize"),
    ],
)
def test_what_may_be_the_devices_is_one(tmp_path: Path, header: str, member: str) -> None:
    used = f'#include "facts.h"\n__global__ void k();\nvoid f() {{ k<<<1, {member}>>>(); }}\n'
    files = {"facts.h": f"{STRUCTURE if 'props' in header else ''}{header}\n", "b.cu": used}
    assert "HP-WARP-018" in converted(tmp_path, files)[1]


def test_what_code_for_hip_has_set_is_one(tmp_path: Path) -> None:
    of_hip = "#include <hip/hip_runtime.h>\n" + FILLED.replace("cuda", "hip").replace(
        "#include <hip_runtime.h>\n", ""
    )
    files = {"facts.h": STRUCTURE, "a.cpp": of_hip, "b.cu": USED}
    assert "HP-WARP-018" in converted(tmp_path, files)[1]
