"""Variables in shared memory of classes that a header of the tree defines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

HEADER = """#pragma once
namespace ours {
struct Moments {
  float mean, m2;
  __device__ Moments() : mean(0), m2(0) {}
};
struct Pair { float a, b; };
}
"""
SOURCE = """#include "moments.h"
__global__ void k(float* x) {
  __shared__ ours::Moments all[32];
  __shared__ ours::Pair pairs[32];
  all[threadIdx.x].mean = pairs[0].a = x[0];
}
"""


def lines(tree: Path, files: dict[str, str]) -> list[tuple[str, int]]:
    """(file, line) of each finding about such a variable."""
    make_tree(tree, files)
    done = hipport("audit", ".", "--format", "json", cwd=tree)
    found = json.loads(done.out)["findings"]
    return [(each["path"], each["line"]) for each in found if each["code"] == "HP-MEM-200"]


def test_a_class_of_a_header(tmp_path: Path) -> None:
    files = {"moments.h": HEADER, "all.h": '#include "moments.h"\n', "k.cu": SOURCE}
    assert lines(tmp_path, files) == [("k.cu", 3)]
    (tmp_path / "k.cu").write_text(SOURCE.replace("moments.h", "all.h"))
    assert lines(tmp_path, {}) == [("k.cu", 3)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"moments.h"', '"other.h"'),
        ("__global__ void k", "template <typename Moments> __global__ void k"),
        ("__global__ void k", "struct Moments { float mean; };\n__global__ void k"),
        ("__shared__ ours::Moments", "extern __shared__ ours::Moments"),
        ("ours::Moments", "Reduce::Moments"),
        ("__global__ void k", "#ifndef __HIP_PLATFORM_AMD__\n__global__ void k"),
    ],
)
def test_another_type_of_that_name(tmp_path: Path, old: str, new: str) -> None:
    source = SOURCE.replace(old, new) + ("#endif\n" if "#ifndef" in new else "")
    assert lines(tmp_path, {"moments.h": HEADER, "k.cu": source}) == []


def test_headers_that_disagree(tmp_path: Path) -> None:
    files = {"moments.h": HEADER + '#include "more.h"\n', "k.cu": SOURCE}
    assert lines(tmp_path, {**files, "more.h": "struct Moments { float m; };\n"}) == []


ALIAS = """#include "moments.h"
typedef ours::Moments sums;
typedef std::complex<float> wave;
"""
ALIASED = """#include "sums.h"
#define ON_CHIP __shared__
__global__ void k(float* x) {
  ON_CHIP sums all[32];
  __shared__ wave waves[32];
  ON_CHIP ours::Pair pairs[32];
  all[threadIdx.x].mean = pairs[0].a = x[0];
}
"""


def test_another_name_that_a_header_gives_a_class(tmp_path: Path) -> None:
    files = {"moments.h": HEADER, "sums.h": ALIAS, "k.cu": ALIASED}
    assert lines(tmp_path, files) == [("k.cu", 4), ("k.cu", 5)]


def test_another_name_that_the_source_gives_a_class_of_a_header(tmp_path: Path) -> None:
    source = SOURCE.replace("__global__", "using Sums = ours::Moments;\n__global__", 1)
    source = source.replace("ours::Moments all", "Sums all")
    assert lines(tmp_path, {"moments.h": HEADER, "k.cu": source}) == [("k.cu", 4)]


def test_headers_that_give_two_classes_one_name(tmp_path: Path) -> None:
    other = '#include "sums.h"\ntypedef ours::Pair sums;\ntypedef float2 wave;\n'
    files = {"moments.h": HEADER, "sums.h": ALIAS, "more.h": other}
    files["k.cu"] = ALIASED.replace("sums.h", "more.h")
    assert lines(tmp_path, files) == []


def test_a_macro_of_a_header(tmp_path: Path) -> None:
    header = "#pragma once\n#ifdef __CUDACC__\n#define ON_CHIP __shared__\n#endif\n"
    source = ALIASED.replace("#define ON_CHIP __shared__\n", '#include "chip.h"\n')
    source = source.replace("__shared__ wave", "ON_CHIP float")
    files = {"moments.h": HEADER, "sums.h": ALIAS, "chip.h": header, "k.cu": source}
    assert lines(tmp_path, files) == [("k.cu", 4)]
    (tmp_path / "chip.h").write_text(header.replace("__shared__", "__device__"))
    assert lines(tmp_path, {}) == []
