"""Macros that a source sets for CUDA's headers, of which HIP's read others."""

from __future__ import annotations

import pytest

from tests.support.converting import convert

THREAD = "CUDA_API_PER_THREAD_DEFAULT_STREAM"


@pytest.mark.parametrize("path", ["a.cu", "a.cpp", "a.cuh", "a.h"])
@pytest.mark.parametrize("keyword", ["define", "undef", "ifdef"])
@pytest.mark.parametrize("what", ["OPERATORS", "CONVERSIONS"])
def test_half_precision_is_switched_by_hips_name(path: str, keyword: str, what: str) -> None:
    end = "#endif\n" if keyword == "ifdef" else ""
    text = f"#{keyword} __CUDA_NO_HALF_{what}__\n{end}#include <cuda_fp16.h>\n"
    output = convert(path, text.encode()).output.decode()
    assert output.startswith(f"#{keyword} __HIP_NO_HALF_{what}__\n{end}")


@pytest.mark.parametrize("path", ["a.cpp", "a.h"])
def test_the_streams_of_threads_are_switched_where_the_host_compiler_reads_the_header(
    path: str,
) -> None:
    text = f"#ifndef {THREAD}\n#define {THREAD} 1\n#endif\n#include <cuda_runtime.h>\n"
    result = convert(path, text.encode())
    assert THREAD.encode() not in result.output
    assert b"#define HIP_API_PER_THREAD_DEFAULT_STREAM 1\n" in result.output
    assert not result.findings


@pytest.mark.parametrize("path", ["a.cu", "a.cuh"])
def test_a_switch_that_nvcc_reads_too_late_stays_and_is_reported(path: str) -> None:
    text = f"#define {THREAD}\n#include <cuda_runtime.h>\nvoid f(void *p) {{}}\n"
    result = convert(path, text.encode())
    assert result.output.startswith(f"#define {THREAD}\n#include <hip/hip_runtime.h>\n".encode())
    assert [each.code for each in result.findings] == ["HP-LAUNCH-140"]


def test_a_condition_in_a_file_of_nvccs_asks_for_what_clangs_option_sets() -> None:
    text = f"#include <cuda_runtime.h>\n#ifdef {THREAD}\nint own;\n#endif\n"
    output = convert("a.cu", text.encode()).output
    assert b"#ifdef HIP_API_PER_THREAD_DEFAULT_STREAM\n" in output
