"""Functions of HIP's that a file defines for a type which a header of the tree names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited
from tests.support.command import make_tree

USING = """#include <hip/hip_runtime.h>
#include "numbers.h"
__device__ static whole atomicXor(whole* at, whole value) { return other(at, value); }
"""


@pytest.mark.parametrize(
    ("header", "lines"),
    [
        ("typedef long long int whole;\n", []),
        ("using whole = std::int64_t;\n", []),
        ("using whole = int64_t;\n", []),
        ("typedef unsigned long long int whole;\n", [3]),
        ("typedef int whole;\n", [3]),
        ("// typedef long long int whole;\n", [3]),
    ],
)
def test_the_type_that_a_header_names(tmp_path: Path, header: str, lines: list[int]) -> None:
    make_tree(tmp_path, {"include/numbers.h": header, "src/ops.hip": USING})
    found = [each.start.line for each in audited(tmp_path) if each.code == "HP-ATOM-007"]
    assert found == lines


def test_a_header_that_the_file_does_not_include(tmp_path: Path) -> None:
    text = USING.replace('#include "numbers.h"\n', "\n")
    make_tree(tmp_path, {"numbers.h": "typedef long long int whole;\n", "ops.hip": text})
    assert [each.code for each in audited(tmp_path)].count("HP-ATOM-007") == 1
