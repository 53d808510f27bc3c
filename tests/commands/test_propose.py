"""`hipport rules propose`: lines for what headers declare and the rulebook lacks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command import Ran, hipport, make_tree
from tests.support.folders import CHECKOUT

RULES = CHECKOUT / "rules"
OLD = """\
#define CUDA_VERSION 12090
int cudaMalloc(void **p, unsigned long n);
int cudaBrandOld(int);
int cuCtxGetLimit(int);
"""
NEW = """\
#define CUDA_VERSION 13050
int cudaMalloc(void **p, unsigned long n);
int cudaBrandOld(int);
int cudaBrandNew(int);
int nppiBrandNew_8u_C1R(int);
int helper(int);
typedef enum { CUBLASLT_MATMUL_BRAND_NEW } cublasLtBrandNew_t;
"""


def test_propose(tmp_path: Path) -> None:
    """The oldest release does not say when a name came; a library's shape answers for its own."""
    make_tree(tmp_path, {"old/include/cuda.h": OLD, "new/include/cuda.h": NEW})
    done = hipport("rules", "propose", "old", "new", cwd=tmp_path)
    assert done.code == 1
    assert [line.split("\t")[:7] for line in done.out.splitlines()] == [
        ["cublaslt", "CUBLASLT_MATMUL_BRAND_NEW", "enum_value", "", "", "unsupported", "13.5"],
        ["cublaslt", "cublasLtBrandNew_t", "type", "", "", "unsupported", "13.5"],
        ["driver", "cuCtxGetLimit", "function", "hipDeviceGetLimit", "", "supported", ""],
        ["runtime", "cudaBrandNew", "function", "", "", "unsupported", "13.5"],
        ["runtime", "cudaBrandOld", "function", "", "", "unsupported", ""],
    ]
    assert done.out.splitlines()[2].split("\t")[8] == "13.5"
    assert (
        done.err == "4 names without a rule, 1 removed from CUDA; 1 that no library calls its own\n"
    )


def test_propose_a_counterpart_by_its_name(tmp_path: Path) -> None:
    make_tree(tmp_path, {"cuda/cuda.h": NEW, "hip/hip.h": "int hipBrandNew(int);\n"})
    done = hipport("rules", "propose", "--hip-headers", "hip", "cuda", cwd=tmp_path)
    (line,) = [each for each in done.out.splitlines() if "hipBrandNew" in each]
    cells = line.split("\t")
    assert cells[:6] == ["runtime", "cudaBrandNew", "function", "hipBrandNew", "", "supported"]
    assert cells[17] == "by the pattern of names"
    assert cells[15] == ""


@pytest.mark.slow
def test_propose_writes_lines_in_order(tmp_path: Path) -> None:
    shutil.copytree(RULES, tmp_path / "rules")
    make_tree(tmp_path, {"cuda/cuda.h": NEW})
    assert hipport("rules", "propose", "--write", "rules", "cuda", cwd=tmp_path).code == 1
    assert hipport("rules", "check", "rules", cwd=tmp_path).code == 0
    again = hipport("rules", "propose", "--write", "rules", "cuda", cwd=tmp_path)
    assert (again.code, again.out) == (0, "")


def test_propose_without_headers(tmp_path: Path) -> None:
    make_tree(tmp_path, {"empty/readme.txt": "nothing\n"})
    done = hipport("rules", "propose", "empty", cwd=tmp_path)
    assert done == Ran(2, "", "hipport: empty: has no headers (check the path)\n")
