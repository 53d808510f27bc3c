"""The rulebook read backwards, and what it proves with NVIDIA's compiler."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchmarks.equivalence.compiling import compare_device_code, nvcc, read_plan
from benchmarks.equivalence.inverse import invert
from benchmarks.equivalence.prepare import CONVERTED, HERE, ROOT, facts, names, prepare
from benchmarks.equivalence.ptx import comparable
from benchmarks.equivalence.running import run_all
from benchmarks.equivalence.table import document

RUNTIME = """#include <cuda_runtime.h>
__constant__ int table[4];
template <int N> __global__ void k(int *p);
int f(int *p, cudaStream_t s) {
    cudaMemcpyToSymbol(table, p, 16); // cudaMemset stands only in a comment
    k<4><<<1, 2, 0, s>>>(p);
    return cudaGetLastError() == cudaSuccess;
}
"""
RUNTIME_HIP = """#include <hip/hip_runtime.h>
__constant__ int table[4];
template <int N> __global__ void k(int *p);
int f(int *p, hipStream_t s) {
    hipMemcpyToSymbol(HIP_SYMBOL(table), p, 16); // cudaMemset stands only in a comment
    hipLaunchKernelGGL(HIP_KERNEL_NAME(k<4>), dim3(1), dim3(2), 0, s, p);
    return hipGetLastError() == hipSuccess;
}
"""
RUNTIME_HEADER = """#pragma once
#define hipGetLastError cudaGetLastError
#define hipMemcpyToSymbol cudaMemcpyToSymbol
#define hipStream_t cudaStream_t
#define hipSuccess cudaSuccess
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol
"""


def inverse(cuda: str, hip: str) -> str:
    return invert([cuda.encode()], [hip.encode()]).header


def test_names_launches_and_symbols_are_read_backwards() -> None:
    found = invert([RUNTIME.encode()], [RUNTIME_HIP.encode()])
    assert found.header == RUNTIME_HEADER
    assert found.stand_ins == {"hip/hip_runtime.h": "#pragma once\n#include <cuda_runtime.h>\n"}


def test_an_argument_that_conversion_added_is_dropped() -> None:
    assert inverse(
        "int f(void **p) { return cudaMallocHost(p, 4); }",
        "int f(void **p) { return hipHostMalloc(p, 4, hipHostMallocDefault); }",
    ) == (
        "#pragma once\n"
        "#define hipHostMalloc(a0, a1, inserted) cudaMallocHost(a0, a1)\n"
        "#define hipHostMallocDefault cudaHostAllocDefault\n"
    )


def test_one_hip_name_is_the_cuda_name_that_the_original_uses() -> None:
    def malloc(name: str) -> str:
        return inverse(f"void *f = {name};", "void *f = hipMalloc;")

    assert malloc("cudaMalloc") == "#pragma once\n#define hipMalloc cudaMalloc\n"
    assert malloc("cuMemAlloc") == "#pragma once\n#define hipMalloc cuMemAlloc\n"


def test_types_keep_their_tags_in_c() -> None:
    assert inverse("struct cudaDeviceProp p;", "hipDeviceProp_t p;") == (
        "#pragma once\n#ifdef __cplusplus\n#define hipDeviceProp_t cudaDeviceProp\n#else\n"
        "#define hipDeviceProp_t struct cudaDeviceProp\n#endif\n"
    )


def test_a_type_for_two_of_cudas_becomes_a_class_that_is_both() -> None:
    header = inverse("cudaError_t e; CUresult r;", "hipError_t e; hipError_t r;")
    assert "    operator cudaError_t() const" in header
    assert "    operator CUresult() const" in header


def test_libraries_come_with_their_namespaces() -> None:
    found = invert(
        [b"#include <cub/cub.cuh>\nusing T = cub::BlockScan<int, 4>;"],
        [b"#include <hipcub/hipcub.hpp>\nusing T = hipcub::BlockScan<int, 4>;"],
    )
    assert found.header == "#pragma once\n\n"
    stand_in = "#pragma once\n#include <cub/cub.cuh>\nnamespace hipcub = cub;\n"
    assert found.stand_ins == {"hipcub/hipcub.hpp": stand_in}


def test_words_and_headers_that_cuda_has_itself_get_no_other_meaning() -> None:
    found = invert([b"void f();"], [b"#include <cstdint>\n__device__ void f();"])
    assert (found.header, found.stand_ins) == ("#pragma once\n\n", {})


def test_names_that_conversion_did_not_write_are_left_out() -> None:
    source = "#define cudaMalloc hipMalloc\n"
    assert inverse(source, source) == "#pragma once\n\n"


def test_ptx_is_compared_without_places_and_hashes() -> None:
    before = """//
// Compiler Build ID: CL-1
.version 9.0

	.file	1 "/one/a.cu"
.global .align 1 .b8 _ZN32_INTERNAL_9bea84a4_4_a_cu_main5beginE[1];
.global .align 1 .b8 _ZN34_INTERNAL_037ba910_4_a_cu_f02888323endE[1]; // gone
	.loc	1 9 1
	add.s32 	%r1, %r2, 4;
"""
    after = before.replace("/one/", "/two/").replace("9bea84a4", "4d8a285a").replace("CL-1", "CL-2")
    after = after.replace(".loc	1 9 1", ".loc	1 10 1").replace(
        "037ba910_4_a_cu_f0288832", "1" * 8 + "_4_a_cu_" + "2" * 8
    )
    assert comparable(before) == comparable(after)
    assert comparable(before).splitlines() == [
        ".version 9.0",
        ".global .align 1 .b8 _ZN32_INTERNAL_4_a_cu_main5beginE[1];",
        ".global .align 1 .b8 _ZN34_INTERNAL_4_a_cu_3endE[1];",
        "\tadd.s32 \t%r1, %r2, 4;",
    ]
    assert comparable(before) != comparable(before.replace("%r2, 4", "%r2, 5"))


def _program(folder: Path, variant: str, script: str) -> None:
    place = folder / "bin/p" / variant
    place.mkdir(parents=True)
    (place / "program").write_text(f"#!/bin/sh\n{script}\n")
    (place / "program").chmod(0o755)


@pytest.mark.parametrize(
    ("original", "other", "verdict"),
    [
        ("echo PASSED in 12 ms", "echo PASSED in 15 ms", "same"),
        ("echo PASSED in 12 ms", "echo FAILED in 12 ms", "different"),
        ("echo x", "echo x; exit 3", "different"),
        ("echo no GPU; exit 1", "echo no GPU; exit 1", "the original fails with exit code 1"),
        ("echo x", "echo x; echo y >&2", "different"),
        ("date +%N", "echo 1", "unstable: two runs of the original differ"),
    ],
)
def test_outputs_are_compared_exactly(
    tmp_path: Path, original: str, other: str, verdict: str
) -> None:
    _program(tmp_path, "cuda", original)
    _program(tmp_path, "hip", other)
    plan = """[{"program": "p", "variant": "cuda", "arguments": [], "runs": true,
                "varies": [["[0-9]+ ms", "a time"]]},
               {"program": "p", "variant": "hip", "arguments": [], "runs": true, "ptx": "same",
                "varies": [["[0-9]+ ms", "a time"]]}]"""
    (tmp_path / "plan.json").write_text(plan)
    [row] = run_all(tmp_path, 1)["rows"]
    assert (row["verdict"], row["device_code"]) == (verdict, "same")


def test_the_page_counts_what_was_seen() -> None:
    def row(program: str, variant: str, verdict: str, code: str) -> dict[str, str]:
        return {"program": program, "variant": variant, "verdict": verdict, "device_code": code}

    rows = [row("atomics", CONVERTED, "same", "same"), row("cub", CONVERTED, "different", "same")]
    rows += [row(f["program"], f["name"], "different", "same") for f in facts()["fault"]]
    page = document({"gpu": "NVIDIA T", "nvcc": "13.0", "rows": rows}).splitlines()
    assert "On NVIDIA T; nvcc 13.0." in page
    assert "- Device code: 2 same." in page
    assert "- Output: 1 same, 1 different." in page
    assert "| cub | same | different |" in page
    seen = sum(fault["seen_by"] == "output" for fault in facts()["fault"])
    assert f"- Faults put in: {len(facts()['fault'])}, seen: {seen}." in page


def test_what_varies_is_left_out_of_outputs_that_were_kept() -> None:
    def output(text: str) -> dict[str, object]:
        return {"fault": "", "code": 0, "output": text}

    row = {
        "program": "driver_api",
        "variant": CONVERTED,
        "verdict": "different",
        "device_code": "same",
        "original": output("0.006 ms\nPASSED"),
    }
    faults = [
        {**row, "program": f["program"], "variant": f["name"], "other": output("FAILED")}
        for f in facts()["fault"]
    ]
    for text, count in (("0.032 ms\nPASSED", "1 same"), ("0.032 ms\nFAILED", "1 different")):
        rows = [{**row, "other": output(text)}, *faults]
        page = document({"gpu": "", "nvcc": "13.0", "rows": rows})
        assert f"- Output: {count}.\n" in page


def test_the_page_shows_the_results_that_are_kept() -> None:
    results = json.loads((HERE / "results.json").read_text("utf-8"))
    assert (ROOT / "docs/equivalence.md").read_text("utf-8") == document(results)
    converted = {row["program"] for row in results["rows"] if row["variant"] == CONVERTED}
    assert converted == set(names())


def test_the_facts_speak_of_programs_that_exist() -> None:
    assert set(facts()["program"]) <= set(names())
    assert {fault["program"] for fault in facts()["fault"]} <= set(names())
    used = {each for row in facts()["program"].values() for each in row.get("libraries", ())}
    assert used == set(facts()["library"])


@pytest.mark.nvcc
@pytest.mark.slow
@pytest.mark.skipif(nvcc() is None, reason="nvcc is not on this machine")
def test_device_code_is_the_same_after_conversion(tmp_path: Path) -> None:
    """The one skip there is: CUDA's compiler may not be installed everywhere."""
    prepare(tmp_path)
    absent = {name for name in names() if not _has_headers(name)}
    plan = [each for each in read_plan(tmp_path) if each["program"] not in absent]
    compared = list(compare_device_code(tmp_path, plan, []))
    assert len(compared) >= 40
    for variant, verdict in compared:
        fault = variant.get("fault", {}).get("seen_by", "")
        differs = fault == "device code" or variant["device_code"]
        if fault != "output":
            expected = "different" if differs else "same"
            place = variant["program"], variant["variant"]
            assert (*place, verdict) in {(*place, expected), (*place, "no device code")}


def _has_headers(name: str) -> bool:
    """Whether CUDA's compiler brings along all headers of a program."""
    compiler = Path(shutil.which(nvcc() or "nvcc") or "").resolve()
    include = compiler.parents[1] / "include"
    wanted = facts()["program"].get(name, {}).get("headers", ())
    return all((include / header).exists() for header in wanted)
