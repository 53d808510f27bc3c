"""What a macro set by CUDA's version alone leaves out of HIP, and the other branch does as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited
from tests.support.command import make_tree

HEADER = """#pragma once
#if defined(CUSPARSE_VERSION) && CUSPARSE_VERSION >= 12703
#define OURS_NEW 1
#else
#define OURS_NEW 0
#endif
"""
SOURCE = """#include <cusparse.h>
#include "ours.h"
void size(cusparseHandle_t handle, cusparseSpMatDescr_t mat, size_t* bytes) {
#if OURS_NEW
  check(cusparseSpMVOp_bufferSize(handle, mat, bytes));
#else
  check(ours_size(handle, mat, bytes));
#endif
}
"""


def lines(folder: Path, files: dict[str, str]) -> list[int]:
    make_tree(folder, files)
    return [each.start.line for each in audited(folder) if each.code == "HP-API-001"]


def test_the_other_branch_does_the_same(tmp_path: Path) -> None:
    assert lines(tmp_path, {"ours.h": HEADER, "ours.cpp": SOURCE}) == []


def test_a_macro_that_is_not_set_at_all(tmp_path: Path) -> None:
    header = HEADER.replace("#else\n#define OURS_NEW 0\n", "")
    source = SOURCE.replace("#if OURS_NEW", "#ifdef OURS_NEW")
    assert lines(tmp_path, {"ours.h": header, "ours.cpp": source}) == []


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {"ours.cpp": SOURCE.replace("check(ours_size(handle, mat, bytes))", "stop()")},
            id="other",
        ),
        pytest.param({"CMakeLists.txt": "add_definitions(-DOURS_NEW=1)\n"}, id="set by the build"),
        pytest.param({"more.h": "#define OURS_NEW 1\n"}, id="set elsewhere"),
        pytest.param({"ours.h": HEADER.replace("CUSPARSE_VERSION", "OURS_VERSION")}, id="ours"),
        pytest.param({"ours.cpp": SOURCE.replace("#if OURS_NEW", "#ifdef OURS_NEW")}, id="is 0"),
    ],
)
def test_what_hip_may_have(tmp_path: Path, files: dict[str, str]) -> None:
    assert lines(tmp_path, {"ours.h": HEADER, "ours.cpp": SOURCE, **files}) == [5]
