"""Headers that a file has from a header of its tree, which includes cuBLAS's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import hipport

BRINGING = "#pragma once\n#include <cublas_v2.h>\n"
THROUGH = '#pragma once\n#include "handles.h"\n'
NORM = '#pragma once\n#include "tensor.h"\nvoid norm(Tensor<half, 2> &t, const half *p);\n'


def converted(tmp_path: Path, files: dict[str, str]) -> dict[str, str]:
    for name, text in files.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    hipport("convert", "-q", "in", "-o", "out", "--jobs", "1", cwd=tmp_path)
    return {name: (tmp_path / "out" / name).read_text() for name in files}


def test_it_is_included_where_its_names_are(tmp_path: Path) -> None:
    files = {
        "handles.h": BRINGING,
        "tensor.h": THROUGH,
        "norm.cuh": NORM,
        "norm.cu": '#include "norm.cuh"\n__half one();\n',
    }
    found = converted(tmp_path, files)
    assert found["norm.cuh"] == NORM.replace("#include", "#include <hip/hip_fp16.h>\n#include", 1)
    assert found["norm.cu"] == files["norm.cu"]
    assert found["tensor.h"] == THROUGH


@pytest.mark.parametrize(
    "files",
    [
        {"handles.h": "#pragma once\n#include <cublas_v2.h>\n#include <cuda_fp16.h>\n"},
        {"handles.h": "#pragma once\n"},
        {"tensor.h": '#pragma once\n#include "handles.h"\n#include <hip/hip_fp16.h>\n'},
        {"norm.cuh": '#pragma once\n#include "tensor.h"\nfloat norm(float half, float x);\n'},
    ],
    ids=["it is there", "nothing brings it", "it is there, by HIP's name", "no such type"],
)
def test_it_is_not_included_elsewhere(tmp_path: Path, files: dict[str, str]) -> None:
    every = {"handles.h": BRINGING, "tensor.h": THROUGH, "norm.cuh": NORM, **files}
    assert converted(tmp_path, every)["norm.cuh"] == every["norm.cuh"]


def test_a_changed_header_is_seen_by_the_next_run(tmp_path: Path) -> None:
    files = {"handles.h": "#pragma once\n", "tensor.h": THROUGH, "norm.cuh": NORM}
    assert converted(tmp_path, files)["norm.cuh"] == NORM
    files["handles.h"] = BRINGING
    assert "hip_fp16.h" in converted(tmp_path, files)["norm.cuh"]
