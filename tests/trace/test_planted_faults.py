"""Every planted fault is found at its line, and a clean build has no finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.tracing import built, trace, traced

pytestmark = pytest.mark.toolchain

FAULTS = """\
constexpr int kWide = 2 * 256;
__global__ void __launch_bounds__(256) bounded(float *x) { x[thread()] *= 2; }
__global__ void tiles(float *x)
{
    __shared__ float tile[12 * 1024];
    extern __shared__ float more[];
    tile[thread()] = x[thread()];
    more[thread()] = tile[thread() ^ 1];
    x[thread()] = more[thread() ^ 1];
}
#ifndef __gfx1100__
__global__ void matrix_cores(float *x) { x[thread()] += 1; }
#else
__global__ void matrix_cores(float *x);
#endif
#ifdef __HIP_DEVICE_COMPILE__
__global__ void hidden(float *x) { x[thread()] += 2; }
#else
__global__ void hidden(float *x);
#endif
__global__ void __attribute__((amdgpu_num_vgpr(16))) spilling(float *x)
{
    float values[32];
    for (int i = 0; i < 32; ++i) values[i] = x[thread() + 64 * i];
    asm volatile("" ::: "memory");
    for (int i = 0; i < 32; ++i) x[thread() + 64 * i] = values[31 - i] * values[i];
}
__global__ void crowded(float *x)
{
    __shared__ float tile[10 * 1024];
    tile[thread()] = x[thread()];
    x[thread()] = tile[thread() ^ 1];
}
__global__ void half_waves(float *x) { x[thread()] += 3; }
__global__ void forgotten(float *x) { x[thread()] += 4; }
template <typename T> __global__ void never_made(T *x) { x[thread()] += 5; }

void run(float *x, int steps, hipStream_t stream)
{
    const dim3 wide(kWide / 8, 8);
    bounded<<<4, wide>>>(x);
    tiles<<<4, 256, 8 * 1024 * sizeof(float), stream>>>(x);
    matrix_cores<<<4, 64>>>(x);
    hidden<<<4, 64>>>(x);
    for (int step = 0; step < steps; ++step)
        spilling<<<4, 64>>>(x);
    crowded<<<4, 64>>>(x);
    half_waves<<<4, 32>>>(x);
}
"""
FOUND = [
    ("HP-TRACE-005", 35, "forgotten", "info"),
    ("HP-TRACE-009", 36, "never_made", "info"),
    ("HP-TRACE-001", 41, "bounded", "manual"),
    ("HP-TRACE-002", 42, "tiles", "manual"),
    ("HP-TRACE-003", 43, "matrix_cores", "manual"),
    ("HP-TRACE-004", 44, "hidden", "manual"),
    ("HP-TRACE-006", 46, "spilling", "review"),
    ("HP-TRACE-007", 47, "crowded", "review"),  # wavefronts of 32
    ("HP-TRACE-007", 47, "crowded", "review"),  # wavefronts of 64
    ("HP-TRACE-008", 47, "crowded", "info"),
    ("HP-TRACE-008", 47, "crowded", "info"),
    ("HP-TRACE-008", 48, "half_waves", "info"),
]
CLEAN = """\
__global__ void __launch_bounds__(256) scale(float *x) { x[thread()] *= 2; }
template <typename T> __global__ void shift(T *x) { x[thread()] += 1; }
void run(float *x, int steps)
{
    for (int step = 0; step < steps; ++step) scale<<<4, 256>>>(x);
    shift<float><<<4, 128>>>(x);
    shift<<<4, 128>>>((int *)x);
}
"""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faulty")
    (folder / "a.hip").write_text(FAULTS)
    built(folder, "a.hip", options=("-Wl,-z,lazy", "-Wl,--unresolved-symbols=ignore-all"))
    return folder


def test_each_fault_is_found_at_its_line(faulty: Path) -> None:
    found = traced(faulty, "a.hip", "lib.so")["findings"]
    assert [(f["code"], f["line"], f["symbol"], f["severity"]) for f in found] == FOUND


def test_the_messages_have_the_numbers(faulty: Path) -> None:
    said = [each["message"] for each in traced(faulty, "a.hip", "lib.so")["findings"]]
    every = "gfx1100, gfx90a, gfx942"
    best = "64, 128, 192, 256, 320, 384, 512, 640, 960, 1024"
    assert said == [
        "forgotten has code (1 in the binary), and nothing in these sources launches or mentions"
        " it",
        "no code object has a kernel of never_made; nothing launches it either",
        f"a block of 512 work-items for bounded, which takes 256 on {every}",
        "tiles needs 81,920 bytes of LDS, 49,152 static and 32,768 dynamic;"
        f" a work-group has 65,536 on {every}",
        "no code of matrix_cores for gfx1100, only for gfx90a, gfx942",
        f"hidden is in the binary for {every}, and no host code registers it",
        "spilling spills 14 VGPRs on gfx1100, and is launched in a loop",
        "2 of 16 wavefronts of crowded fit on a SIMD of gfx1100 with blocks of 64, limited by lds",
        "1 of 8 wavefronts of crowded fit on a SIMD of gfx90a, gfx942 with blocks of 64,"
        " limited by lds",
        "blocks of 64 keep at most 12 % of the lanes of gfx1100 busy with crowded;"
        " blocks of 1024 keep 100 %",
        "blocks of 64 keep at most 12 % of the lanes of gfx90a, gfx942 busy with crowded;"
        " blocks of 832, 896, 960, 1024 keep 50 %",
        "blocks of 32 keep at most 50 % of the lanes of gfx90a, gfx942 busy with half_waves;"
        f" blocks of {best} keep 100 %",
    ]


def test_findings_fail_the_command(faulty: Path) -> None:
    ran = trace(faulty, "a.hip", "lib.so")
    assert ran.code == 1
    assert "a.hip:41:5: manual HP-TRACE-001 a block of 512 work-items" in ran.out


def test_sarif_names_the_line(faulty: Path) -> None:
    assert trace(faulty, "--format", "sarif", "-o", "t.sarif", "a.hip", "lib.so").code == 1
    (run,) = json.loads((faulty / "t.sarif").read_text())["runs"]
    lines = {
        each["ruleId"]: each["locations"][0]["physicalLocation"]["region"]["startLine"]
        for each in run["results"]
    }
    assert lines == {code: line for code, line, _, _ in FOUND}


def test_a_gpu_that_is_asked_for_needs_code(faulty: Path) -> None:
    found = traced(faulty, "--targets", "gfx90a,gfx1030", "a.hip", "lib.so")
    absent = [each["symbol"] for each in found["findings"] if each["code"] == "HP-TRACE-003"]
    assert absent == [
        *("bounded", "tiles", "matrix_cores", "hidden", "spilling", "crowded", "half_waves")
    ]


def test_a_clean_build_has_no_finding(tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text(CLEAN)
    built(tmp_path, "a.hip")
    found = traced(tmp_path, "a.hip", "lib.so")
    assert found["findings"] == []
    assert [each["certainty"] for each in found["launches"]] == ["certain", "certain", "likely"]
    assert trace(tmp_path, "--fail-on", "info", "a.hip", "lib.so").code == 0
