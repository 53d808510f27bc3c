"""C sources that will include headers of ROCm that are C++."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command import hipport, make_tree

CPP = "#include <curand.h>\n"


def findings(folder: Path, files: dict[str, str]) -> list[tuple[str, int, str]]:
    """File, line, and message of each."""
    make_tree(folder / "in", files)
    hipport("convert", "in", "-o", "out", "--report", "report.json", cwd=folder)
    found = json.loads((folder / "report.json").read_text("utf-8"))["findings"]
    about = [each for each in found if each["code"] == "HP-BUILD-007"]
    return [(each["path"], each["line"], each["message"]) for each in about]


def test_each_c_source_that_includes_one_is_reported(tmp_path: Path) -> None:
    files = {
        "include/gpu.h": f"#ifdef GPU\n{CPP}#endif\n",
        "src/a.c": '#include <stdio.h>\n#include "gpu.h"\n',
        "src/b.c": "#include <cuda_runtime.h>\n#include <cublasLt.h>\n",
        "src/c.c": "#include <cuda_runtime.h>\n#include <cufft.h>\n#include <cuda_fp16.h>\n",
        "src/d.cpp": CPP,
        "src/e.cu": CPP,
    }
    message = "{}, which replaces {}, is C++: a C compiler rejects it (ROCm 7.2)"
    assert findings(tmp_path, files) == [
        ("src/a.c", 2, message.format("hiprand/hiprand.h", "curand.h")),
        ("src/b.c", 2, message.format("hipblaslt/hipblaslt.h", "cublasLt.h")),
    ]


def test_a_tree_without_c_sources_has_none(tmp_path: Path) -> None:
    assert findings(tmp_path, {"gpu.h": CPP, "a.cc": '#include "gpu.h"\n'}) == []
