"""The runtime header comes first in CUDA files whose headers use its names, as nvcc has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree, read_tree

RUNTIME = "#include <hip/hip_runtime.h>\n"
ERRORS = "#pragma once\ninline const char* text(cudaError_t e) { return cudaGetErrorString(e); }\n"
INLINE = "#pragma once\n#define INLINE __forceinline__\n"


def converted(folder: Path, files: dict[str, str]) -> dict[str, str]:
    """The converted tree, which converting again leaves as it is."""
    make_tree(folder / "in", files)
    hipport("convert", "-o", "out", "in", cwd=folder)
    hipport("convert", "-o", "again", "out", cwd=folder)
    found = read_tree(folder / "out")
    assert read_tree(folder / "again") == found
    return found


FIRST = {
    "nothing of its own": ('#include "errors.h"\n', RUNTIME + '#include "errors.h"\n'),
    "the header comes too late": (
        '// Title\n#include <vector>\n#include "errors.h"\n#include <cuda_runtime.h>\nint n;\n',
        f'// Title\n{RUNTIME}#include <vector>\n#include "errors.h"\nint n;\n',
    ),
    "through another header": ('#include "outer.h"\n', RUNTIME + '#include "outer.h"\n'),
    "by another directive": (
        '#include_next "errors.h"\n',
        RUNTIME + '#include_next "errors.h"\n',
    ),
    "from a folder that the build knows": (
        "#include <base/vectors.h>\r\nint n;\r\n",
        "#include <hip/hip_runtime.h>\r\n#include <base/vectors.h>\r\nint n;\r\n",
    ),
    "under a condition": (
        '#if WITH_TEXT\n#include "errors.h"\n#endif\n#include <vector>\n',
        f'{RUNTIME}#if WITH_TEXT\n#include "errors.h"\n#endif\n#include <vector>\n',
    ),
    "in a macro, and it never comes": (
        '#include "inline.h"\nINLINE int f() { return 1; }\n',
        RUNTIME + '#include "inline.h"\nINLINE int f() { return 1; }\n',
    ),
    "macros of names that it has come before it": (
        '#include "params.h"\n#include <cuda_runtime.h>\nint n = N;\n',
        RUNTIME + '#include "params.h"\nint n = N;\n',
    ),
    "only under a condition": (
        '#if OLD\n#include <cuda_runtime.h>\n#endif\n#include "errors.h"\n',
        f'{RUNTIME}#if OLD\n#endif\n#include "errors.h"\n',
    ),
}
LEFT = {
    "it comes first": '#include <cuda_runtime.h>\n#include "errors.h"\n',
    "it comes with another header": '#include "with_runtime.h"\n#include "errors.h"\n',
    "the macro comes first": '#include "inline.h"\n#include <cuda_runtime.h>\n',
    "macros of other names": '#include "sizes.h"\n#include <cuda_runtime.h>\nint n = LIMIT;\n',
    "macros of such names, and no use of it": '#include "params.h"\nint n = N;\n',
    "no names": '#include "plain.h"\nint n;\n',
    "conversion adds it to the header": '#include "device.h"\nint n;\n',
    "no include": "int n;\n",
}
HEADERS = {
    "errors.h": ERRORS,
    "outer.h": '#include "errors.h"\n',
    "src/include/base/vectors.h": "float3 up();\n",
    "inline.h": INLINE,
    "params.h": "#pragma once\n#define N 512\n",
    "sizes.h": "#pragma once\n#define LIMIT 512\n",
    "with_runtime.h": "#include <cuda_runtime.h>\n",
    "plain.h": '#include "plain.h"\n// cudaError_t\nint dims(const char* = "dim3");\n',
    "device.h": "__device__ __forceinline__ int f() { return 1; }\n",
}


@pytest.mark.parametrize("name", FIRST)
def test_it_is_added_first(tmp_path: Path, name: str) -> None:
    before, after = FIRST[name]
    assert converted(tmp_path, {**HEADERS, "unit.cu": before})["unit.cu"] == after


@pytest.mark.parametrize("name", LEFT)
def test_nothing_is_added(tmp_path: Path, name: str) -> None:
    found = converted(tmp_path, {**HEADERS, "unit.cu": LEFT[name]})["unit.cu"]
    assert found == LEFT[name].replace("<cuda_runtime.h>", "<hip/hip_runtime.h>")


def test_host_code_includes_what_it_included(tmp_path: Path) -> None:
    text = '#include "errors.h"\n#include <cuda_runtime.h>\n'
    found = converted(tmp_path, {**HEADERS, "unit.cpp": text})["unit.cpp"]
    assert found == text.replace("cuda_runtime.h", "hip/hip_runtime.h")


@pytest.mark.slow
def test_a_chain_of_headers_without_end(tmp_path: Path) -> None:
    chain = {f"h{n}.h": f'#include "h{n + 1}.h"\n' for n in range(1100)}
    found = converted(tmp_path, {**chain, "unit.cu": '#include "h0.h"\n'})
    assert found["unit.cu"] == '#include "h0.h"\n'


def test_a_changed_header_is_seen_by_the_next_run(tmp_path: Path) -> None:
    make_tree(tmp_path / "in", {"a.h": "int n;\n", "unit.cu": '#include "a.h"\n'})
    hipport("convert", "-o", "out", "in", cwd=tmp_path)
    assert read_tree(tmp_path / "out")["unit.cu"] == '#include "a.h"\n'
    (tmp_path / "in" / "a.h").write_text(ERRORS)
    hipport("convert", "-o", "out", "in", cwd=tmp_path)
    assert read_tree(tmp_path / "out")["unit.cu"] == RUNTIME + '#include "a.h"\n'
