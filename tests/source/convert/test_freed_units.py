"""What a file took is freed at once: waiting for the collector, large trees fill the memory."""

import gc

import pytest

from hipport.rulebook.load import load
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.names.counterparts import Decisions
from hipport.source.source_file import Unit

KERNEL = "__global__ void k(float *p) { p[0] = __shfl_sync(~0u, p[0], 1); }"
FILES = {
    "a.cu": (f"#include <cuda.h>\n{KERNEL}\nvoid f() {{ cudaFree(0); }}\n", "cuda"),
    "rtc.cpp": (f'void f() {{ nvrtcCreateProgram(&p, "{KERNEL}", "k", 0, 0, 0); }}\n', "cpp"),
    "kernels.py": (f'import cupy\nk = cupy.RawKernel("{KERNEL}", "k")\n', "python"),
    "texts.py": (f'TEXT = "{KERNEL}"\n', "python"),
}


@pytest.mark.parametrize("name", FILES)
def test_no_unit_is_left(name: str) -> None:
    text, language = FILES[name]
    rules = load()
    gc.collect()
    gc.disable()
    try:
        convert_source(text.encode(), name, language, Decisions(rules, default_options(rules)))
        left = sum(isinstance(each, Unit) for each in gc.get_objects())
    finally:
        gc.enable()
    assert left == 0
