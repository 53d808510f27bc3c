"""Trees that declare CUDA's API themselves, to load it at run time: all of its names stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree, read_tree

TYPES = """\
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef enum cudaError_enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 } CUresult;
typedef CUresult tcuInit(unsigned int);
extern tcuInit *cuInit;
"""
LOADER = """\
#include "driver.h"
tcuInit *cuInit;
CUresult load(void *library)
{
    cuInit = (tcuInit *)dlsym(library, "cuInit");
    return cuInit ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
"""
USER = """\
#include <cuda_runtime.h>
#include "more.h"
int start(void)
{
    cudaFree(0);
    return cuInit(0) == CUDA_SUCCESS;
}
"""
TREE = {"include/driver.h": TYPES, "include/more.h": '#include "driver.h"\n', "load.c": LOADER}


def converted(folder: Path, files: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """The converted tree, which converting again leaves as it is, and its findings in short."""
    make_tree(folder / "in", files)
    hipport("convert", "-o", "out", "in", "--report", "report.json", cwd=folder)
    hipport("convert", "-o", "again", "out", cwd=folder)
    found = read_tree(folder / "out")
    assert read_tree(folder / "again") == found
    report = json.loads((folder / "report.json").read_text())
    return found, [f"{each['path']}:{each['line']} {each['code']}" for each in report["findings"]]


def test_all_names_of_a_library_that_the_tree_loads_stay(tmp_path: Path) -> None:
    found, findings = converted(tmp_path, {**TREE, "use.cu": USER})
    assert {name: found[name] for name in TREE} == TREE
    assert found["use.cu"] == USER.replace("cuda_runtime", "hip/hip_runtime").replace(
        "cudaFree", "hipFree"
    )
    assert findings == [
        "include/driver.h:1 HP-SEM-003",
        "load.c:2 HP-SEM-003",
        "load.c:5 HP-PROP-004",
        "use.cu:6 HP-SEM-003",
    ]


LEFT = {
    "nothing is loaded": {**TREE, "load.c": LOADER.replace("dlsym", "found")},
    "what is loaded has nothing to do with it": {
        **TREE,
        "load.c": LOADER.replace("dlsym", "found"),
        "other.c": 'void *other(void *library) { return dlsym(library, "open"); }\n',
    },
    "CUDA's header is there too": {**TREE, "both.c": '#include <cuda.h>\n#include "driver.h"\n'},
    "types without a definition": {
        **TREE,
        "include/driver.h": "typedef struct CUctx_st *CUcontext;\nextern int (*cuInit)();\n",
    },
}


@pytest.mark.parametrize("files", LEFT.values(), ids=LEFT)
def test_other_names_are_converted_as_ever(files: dict[str, str], tmp_path: Path) -> None:
    found, findings = converted(tmp_path, {**files, "use.cu": USER})
    assert "hipInit(0) == hipSuccess" in found["use.cu"]
    assert not any("HP-SEM-003" in each for each in findings)


def test_a_tree_with_a_copy_of_the_header_is_converted(tmp_path: Path) -> None:
    """A copy of CUDA's own header is no declaration of the project's."""
    files = {
        "cuda.h": TYPES,
        "load.c": LOADER.replace("driver.h", "cuda.h"),
    }
    _, findings = converted(tmp_path, files)
    assert not any("HP-SEM-003" in each for each in findings)
