"""Kernels in strings are audited as files of CUDA are, wherever their texts go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited


def findings(folder: Path, name: str, text: str) -> list[tuple[int, str, str]]:
    (folder / name).write_text(text)
    return sorted((each.start.line, each.code, each.symbol) for each in audited(folder))


def test_a_text_that_no_known_function_compiles(tmp_path: Path) -> None:
    text = '''SOURCE = """
__device__ float power(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__global__ void __launch_bounds__(256, 4) waves(float* x) {
    x[0] = power(x[0]);
}
"""
ours.build(SOURCE)
'''
    found = findings(tmp_path, "a.py", text)
    assert (7, "HP-LAUNCH-001", "__launch_bounds__") in found
    assert (4, "HP-PY-069", "ex2.approx.ftz.f32") in found


def test_a_text_of_a_class_that_has_another_for_amd(tmp_path: Path) -> None:
    cuda = '''class CUDAWaves:
    def source(self):
        return """__device__ float power(float x) {
            asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
            return x;
        }"""
'''
    assert findings(tmp_path, "a.py", cuda)
    assert findings(tmp_path, "a.py", f"{cuda}\nclass HIPWaves:\n    pass\n") == []


def test_a_text_with_fields_to_fill_in(tmp_path: Path) -> None:
    text = '''def source(name):
    return f"""
__global__ void {name}(unsigned* x) {{
    __trap();
}}
"""
'''
    assert (4, "HP-MATH-005", "__trap") in findings(tmp_path, "a.py", text)


def test_statements_that_a_function_makes_a_kernel_of(tmp_path: Path) -> None:
    text = '''import cupy

add = cupy.ElementwiseKernel("raw float32 y, float32 x", "", """
    y[0] += x; __trap();
""", "add")
'''
    assert (4, "HP-MATH-005", "__trap") in findings(tmp_path, "a.py", text)


def test_fields_to_fill_in_of_a_text_that_is_compiled(tmp_path: Path) -> None:
    text = '''import cupy

def kernel(name):
    return cupy.RawKernel(f"""
__global__ void {name}(unsigned* x) {{
    __trap();
}}
""", name)
'''
    assert (6, "HP-MATH-005", "__trap") in findings(tmp_path, "a.py", text)


def test_what_is_told_already_is_not_told_again(tmp_path: Path) -> None:
    text = '''SOURCE = """
__global__ void waves(unsigned* x) {
    x[0] = __reduce_add_sync(~0u, __shfl_sync(~0u, x[0], 0)); __trap();
    asm volatile("membar.gl;"); __trap();
}
"""
'''
    found = findings(tmp_path, "a.py", text)
    assert [(code, symbol) for line, code, symbol in found if line == 3] == [
        ("HP-MATH-005", "__trap"),
        ("HP-PY-085", "__reduce_add_sync"),
    ]
    assert {code for line, code, _ in found if line == 4} == {"HP-PY-069"}


def test_a_file_that_serves_amd_too(tmp_path: Path) -> None:
    text = '''import torch

IS_HIP = torch.version.hip is not None
SOURCE = """
__device__ void stop() { __trap(); }
"""
'''
    assert findings(tmp_path, "a.py", text) == []


def test_what_is_said_of_a_kernel_is_none(tmp_path: Path) -> None:
    text = '''"""Writes __device__ void stop() { __trap(); } for those who need it."""
'''
    assert findings(tmp_path, "a.py", text) == []


def test_a_literal_of_cpp(tmp_path: Path) -> None:
    text = """#include <nvrtc.h>
const char* source = R"(
__global__ void waves(float* x) {
  x[0] = 1; __trap();
}
)";
void build(nvrtcProgram* program) {
  nvrtcCreateProgram(program, source, "waves.cu", 0, nullptr, nullptr);
}
"""
    assert (4, "HP-MATH-005", "__trap") in findings(tmp_path, "a.cpp", text)


COMPILED = """#include <nvrtc.h>
const char* source = R"(
extern "C" __global__ void sum(const float* x, float* y) {{
  float v = x[threadIdx.x];
  v += __shfl_down_sync(0xffffffff, v, 16);
  *y = v;{more}
}}
)";
void build(nvrtcProgram* program) {{
  nvrtcCreateProgram(program, {name}, "sum.cu", 0, nullptr, nullptr);
}}
"""


def test_a_literal_that_the_conversion_changes_needs_no_person(tmp_path: Path) -> None:
    text = COMPILED.format(more="", name="source")
    assert findings(tmp_path, "a.cpp", text) == [(10, "HP-RTC-001", "nvrtcCreateProgram")]


def test_what_stays_of_a_literal_that_the_conversion_changes(tmp_path: Path) -> None:
    text = COMPILED.format(more=' asm("membar.gl;");', name="source")
    codes = {code for line, code, _ in findings(tmp_path, "a.cpp", text) if line == 6}
    assert codes == {"HP-ASM-001", "HP-ASM-011"}


def test_a_literal_that_may_not_reach_the_compiler(tmp_path: Path) -> None:
    text = COMPILED.format(more="", name="chosen(source)")
    found = findings(tmp_path, "a.cpp", text)
    assert [(line, code) for line, code, _ in found if code in ("HP-RTC-004", "HP-RTC-010")] == [
        (3, "HP-RTC-004"),
        (5, "HP-RTC-010"),
    ]


KERNEL = """const char* sum = R"(
extern "C" __global__ void sum(float* x) {
  x[0] = __shfl(x[threadIdx.x], 0);
}
)";
"""


@pytest.mark.parametrize(
    ("kernel", "users", "expected"),
    [
        (KERNEL, ["#include <hip/hip_runtime.h>\n"], []),
        (KERNEL, ["#include <hip/hip_runtime.h>\n", ""], ["HP-RTC-004", "HP-RTC-010"]),
        (KERNEL, [""], ["HP-RTC-004", "HP-RTC-010"]),
        (KERNEL.replace(", 0)", ", 0, 32)"), ["#include <hip/hip_runtime.h>\n"], ["HP-RTC-010"]),
    ],
)
def test_a_header_that_only_files_of_hip_include(
    tmp_path: Path, kernel: str, users: list[str], expected: list[str]
) -> None:
    (tmp_path / "kernel.hpp").write_text(kernel)
    for number, head in enumerate(users):
        (tmp_path / f"user{number}.cpp").write_text(f'{head}#include "kernel.hpp"\n')
    found = {each.code for each in audited(tmp_path) if each.code.startswith("HP-RTC")}
    assert sorted(found) == expected


KEPT = """import cupy as cp

SOURCE = r'''
extern "C" __global__ void add(float* x) {
    x[threadIdx.x & 31] += __shfl_xor_sync(0xffffffff, x[0], 16);
}
'''
add = cp.RawKernel(SOURCE, "add")
"""


def test_lanes_that_the_conversion_keeps_need_no_person(tmp_path: Path) -> None:
    codes = [code for _, code, _ in findings(tmp_path, "a.py", KEPT)]
    assert "HP-PY-085" not in codes
    assert "HP-PY-073" not in codes


@pytest.mark.parametrize(
    "text",
    [
        # What is filled in, and what two kernels are made of, stays as it is.
        KEPT.replace("r'''", "f'''").replace("{\n", "{{\n").replace("}\n", "}}\n"),
        KEPT + "both = cp.RawModule(code=SOURCE + MORE)\nMORE = r'''int n;'''\n",
        KEPT.replace("cp.RawKernel(SOURCE", "ours.build(SOURCE"),
    ],
)
def test_lanes_that_the_conversion_leaves_need_a_person(tmp_path: Path, text: str) -> None:
    assert (5, "HP-PY-085", "__shfl_xor_sync") in findings(tmp_path, "a.py", text)


BRANCHES = """#include <nvrtc.h>
{before}
const char* const source = R"(extern "C" __global__
#if __CUDA_ARCH__ == 750
__launch_bounds__(64, 12)
#elif __CUDA_ARCH__ == 890
__launch_bounds__(64, 14)
#else
__launch_bounds__(64, 16)
#endif
void sum(float* to, float value) {{
#if __CUDA_ARCH__ >= 700
    __nv_atomic_add(to, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
#else
    {other}
#endif
}}
)";
"""


@pytest.mark.parametrize("lines", [0, 200])
def test_branches_that_hip_leaves_out_of_a_text(tmp_path: Path, lines: int) -> None:
    text = BRANCHES.format(before="\n" * lines, other="atomicAdd(to, value);")
    found = findings(tmp_path, "a.cpp", text)
    assert [line for line, code, _ in found if code == "HP-LAUNCH-001"] == [lines + 9]
    assert [code for _, code, _ in found if code in ("HP-ATOM-008", "HP-API-002")] == []


def test_branches_of_a_text_that_nothing_replaces(tmp_path: Path) -> None:
    text = BRANCHES.format(before="", other="*to += 1;")
    assert (13, "HP-ATOM-008", "__nv_atomic_add") in findings(tmp_path, "a.cpp", text)


def test_launch_bounds_that_hip_may_take_in_a_text(tmp_path: Path) -> None:
    text = BRANCHES.format(before="", other="").replace("__CUDA_ARCH__ == ", "OURS == ")
    found = findings(tmp_path, "a.cpp", text)
    assert [line for line, code, _ in found if code == "HP-LAUNCH-001"] == [5, 7, 9]
