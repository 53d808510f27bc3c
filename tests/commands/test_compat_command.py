"""`hipport compat`: the header's exact text, its stand-ins, and the exit codes."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Ran, hipport, listing, make_tree, read_tree
from tests.support.rule_tables import RULES

DONE = Ran(0, "", "")
SOURCE = """#include <cuda_runtime.h>
#include <cublas_v2.h>
#include <cub/cub.cuh>
#include <math.h>
#include "own_cuda.h"
__constant__ int table[4];
template <int A, int B> __global__ void k(int *p) {
    p[0] = __shfl_sync(0xffffffffu, 1, 0);
    __syncwarp();
}
int f(int *p, cudaStream_t s) {
    cudaEvent_t one, two;
    cudaEventCreate(&one);
    cudaEventCreate(&two, cudaEventDisableTiming);
    cudaMemcpyToSymbol(table, p, 16);
    cudaFuncSetAttribute(k<4, 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1);
    using Scan = cub::BlockScan<int, 4>;
    // cudaMemset("cudaFree")
    k<4, 2><<<1, 2, 0, s>>>(p);
    return cudaGetLastError() == cudaSuccess;
}
"""
C_SOURCE = """#include <cuda_runtime_api.h>
int g(void **p) { return cudaMallocHost(p, 4) + cudaGetExportTable(0, 0); }
int h(void) { return cudaGetExportTable(0, 1); }
"""
LEFT = "it was left as it is"
FIRST_LINE = (
    "// Written by hipport compat 0.1.0 for ROCm 7.1; write it anew when other names are used."
)
HELPERS = (RULES / "helpers" / "hipport_warp32.h").read_text("utf-8").rstrip("\n")
# HIP's own headers mean the wavefront where they call these.
HIDDEN = "".join(
    f'#pragma push_macro("{name}")\n#undef {name}\n' for name in ("__shfl_sync", "__syncwarp")
)
SHOWN = "".join(f'#pragma pop_macro("{name}")\n' for name in ("__shfl_sync", "__syncwarp"))
HEADER = f"""{FIRST_LINE}
//
// Compiled as HIP, it gives the CUDA names that the code uses their HIP meaning;
// otherwise it includes CUDA's headers and does nothing else.
//
// What it cannot do; such code needs a person:
//   c.c:2 (and 1 more): HP-API-001 `cudaGetExportTable` has no counterpart in HIP; {LEFT}
#ifndef CUDA_TO_HIP_H
#define CUDA_TO_HIP_H

#if defined(__HIP_PLATFORM_AMD__) || (defined(__clang__) && defined(__HIP__))
#ifdef __cplusplus
#include <hip/hip_runtime.h>
#else
#include <hip/hip_runtime_api.h>
#endif
#ifdef __cplusplus
#include <hipcub/hipcub.hpp>
#endif
#ifdef __cplusplus
#include <hipblas/hipblas.h>
#endif
#ifdef __cplusplus
namespace cub = hipcub;
#endif

#ifdef __cplusplus
namespace hipport {{
template <typename T> struct plain {{ typedef T type; }};
template <typename R, typename K, typename... P>
inline R kernel_first(R (*call)(const void *, P...), K *kernel, typename plain<P>::type... rest)
{{
    return call(reinterpret_cast<const void *>(kernel), rest...);
}}
template <typename R, typename A, typename K>
inline R kernel_second(R (*call)(A, const void *), typename plain<A>::type first, K *kernel)
{{
    return call(first, reinterpret_cast<const void *>(kernel));
}}
}}
{HELPERS}
#endif

#define HIPPORT_COUNT_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, N, ...) N
#define HIPPORT_COUNT(...) HIPPORT_COUNT_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define HIPPORT_PASTE_(a, b) a##b
#define HIPPORT_PASTE(a, b) HIPPORT_PASTE_(a, b)
#define HIPPORT_CALL(name, ...) HIPPORT_PASTE(name, HIPPORT_COUNT(__VA_ARGS__))(__VA_ARGS__)

#define __shfl_sync warp32::shfl_sync
#define __syncwarp warp32::syncwarp
#define cudaEventCreate(...) HIPPORT_CALL(cudaEventCreate_, __VA_ARGS__)
#define cudaEventCreate_1(a0) hipEventCreate(a0)
#define cudaEventCreate_2(a0, a1) hipEventCreateWithFlags(a0, a1)
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEvent_t hipEvent_t
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#ifdef __cplusplus
#define cudaFuncSetAttribute(...) hipport::kernel_first(hipFuncSetAttribute, __VA_ARGS__)
#else
#define cudaFuncSetAttribute hipFuncSetAttribute
#endif
#define cudaGetLastError hipGetLastError
#define cudaMallocHost(...) HIPPORT_CALL(cudaMallocHost_, __VA_ARGS__)
#define cudaMallocHost_2(a0, a1) hipHostMalloc(a0, a1, hipHostMallocDefault)
#define cudaMemcpyToSymbol hipMemcpyToSymbol
#define cudaStream_t hipStream_t
#define cudaSuccess hipSuccess

#else
#ifdef __cplusplus
#include <cub/cub.cuh>
#endif
#ifdef __cplusplus
#include <cublas_v2.h>
#endif
#ifdef __cplusplus
#include <cuda_runtime.h>
#endif
#include <cuda_runtime_api.h>
#endif

#endif
"""


def tree(folder: Path) -> Path:
    return make_tree(folder / "src", {"a.cu": SOURCE, "c.c": C_SOURCE, "own_cuda.h": ""})


def test_the_header_exactly(tmp_path: Path) -> None:
    tree(tmp_path)
    before = read_tree(tmp_path)
    done = hipport("compat", "src", "-o", "cuda_to_hip.h", "--rocm", "7.1", cwd=tmp_path)
    assert done == Ran(1, "", "")
    assert read_tree(tmp_path) == {**before, "cuda_to_hip.h": HEADER}


ROC_SOURCE = """#include <cublas_v2.h>
#include <cufft.h>
#include <cudnn.h>
#include <cuda_runtime.h>
int f(cublasHandle_t h, cudnnLRNDescriptor_t l, cufftHandle *t, double *x) {
  cudaFree(x);
  cufftCreate(t);
  cudnnSetLRNDescriptor(l, 5, 1e-4, 0.75, 2.0);
  return cublasDscal(h, 4, x, x, 1) == CUBLAS_STATUS_SUCCESS;
}
"""
ROC_DEFINES = """#define CUBLAS_STATUS_SUCCESS rocblas_status_success
#define cublasDscal rocblas_dscal
#define cublasHandle_t rocblas_handle
#define cudaFree hipFree
#define cudnnLRNDescriptor_t miopenLRNDescriptor_t
#define cudnnSetLRNDescriptor(...) HIPPORT_CALL(cudnnSetLRNDescriptor_, __VA_ARGS__)
#define cudnnSetLRNDescriptor_5(a0, a1, a2, a3, a4) \
miopenSetLRNDescriptor(a0, miopenLRNCrossChannel, a1, a2, a3, a4)
#define cufftCreate hipfftCreate
#define cufftHandle hipfftHandle
""".replace("\\\n", "")


def test_roc_libraries_take_the_place_of_the_hip_ones(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cpp": ROC_SOURCE})
    assert hipport("compat", "a.cpp", "-o", "h.h", "--libs", "roc", cwd=tmp_path) == DONE
    text = (tmp_path / "h.h").read_text("utf-8")
    assert ROC_DEFINES in text
    mapped = text[: text.index("#else\n#ifdef")]
    assert [line for line in mapped.splitlines() if line.startswith("#include")] == [
        "#include <hip/hip_runtime.h>",
        "#include <hip/hip_runtime_api.h>",
        "#include <rocblas/rocblas.h>",
        "#include <miopen/miopen.h>",
        "#include <hipfft/hipfft.h>",
    ]


def test_calls_with_many_arguments_are_counted_to_their_number(tmp_path: Path) -> None:
    call = "cudnnFindConvolutionForwardAlgorithmEx(a, b, c, d, e, f, g, h, i, j, k, l, m);"
    make_tree(tmp_path, {"a.cpp": f"#include <cudnn.h>\nvoid f() {{ {call} }}\n"})
    assert hipport("compat", "a.cpp", "-o", "h.h", "--libs", "roc", cwd=tmp_path) == DONE
    text = (tmp_path / "h.h").read_text("utf-8")
    assert "#define HIPPORT_COUNT(...) HIPPORT_COUNT_(__VA_ARGS__, 13, 12," in text
    assert "#define cudnnFindConvolutionForwardAlgorithmEx_13(a0, a1," in text


def test_stand_ins_take_the_place_of_cudas_headers(tmp_path: Path) -> None:
    tree(tmp_path)
    command = ["compat", "src", "-o", "port/to_hip.h", "--stand-ins", "--rocm", "7.1"]
    assert hipport(*command, cwd=tmp_path).code == 1
    head = (
        "// Written by hipport compat: stands in for CUDA's header where code is compiled as HIP.\n"
        "#if defined(__HIP_PLATFORM_AMD__) || (defined(__clang__) && defined(__HIP__))\n"
    )
    found = read_tree(tmp_path / "port")
    header = found.pop("to_hip.h")
    assert "#ifndef TO_HIP_H\n" in header
    assert "cublas_v2.h" not in header
    assert "hipcub" not in header
    runtime = f'{head}#include "../to_hip.h"\n#include <hip/hip_runtime.h>\n#else\n'
    assert found == {
        "to_hip/cuda_runtime.h": f"{runtime}#include_next <cuda_runtime.h>\n#endif\n",
        "to_hip/cuda_runtime_api.h": f'{head}#include "../to_hip.h"\n'
        "#include <hip/hip_runtime_api.h>\n#else\n#include_next <cuda_runtime_api.h>\n#endif\n",
        "to_hip/cublas_v2.h": f'{head}#include "../to_hip.h"\n{HIDDEN}'
        f"#include <hipblas/hipblas.h>\n{SHOWN}#else\n#include_next <cublas_v2.h>\n#endif\n",
        "to_hip/cub/cub.cuh": f'{head}#include "../../to_hip.h"\n{HIDDEN}'
        f"#include <hipcub/hipcub.hpp>\n{SHOWN}namespace cub = hipcub;\n"
        "#else\n#include_next <cub/cub.cuh>\n#endif\n",
    }


def test_a_header_without_counterpart_stops_the_compiler(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": "#include <cuda_fp8.h>\n"})
    command = ["compat", "a.cu", "-o", "h.h", "--stand-ins", "--rocm", "5.2"]
    assert hipport(*command, cwd=tmp_path).code == 1
    assert '#error "cuda_fp8.h has no counterpart: <hip/hip_fp8.h> came with ROCm 6.2"\n' in (
        tmp_path / "h/cuda_fp8.h"
    ).read_text("utf-8")


def test_writing_it_again_changes_nothing(tmp_path: Path) -> None:
    source = tree(tmp_path)
    command = ["compat", "src", "-o", "src/cuda_to_hip.h", "--stand-ins"]
    assert hipport(*command, cwd=tmp_path).code == 1
    before = read_tree(source)
    times = [path.stat().st_mtime_ns for path in sorted(source.rglob("*.h"))]
    assert hipport(*command, cwd=tmp_path).code == 1
    assert read_tree(source) == before
    assert [path.stat().st_mtime_ns for path in sorted(source.rglob("*.h"))] == times


def test_names_of_the_users_own_are_left_out(tmp_path: Path) -> None:
    own = "struct S { int cudaFree(); };\nint h(S s) { return s.cudaFree(); }\ncudaStream_t s;\n"
    make_tree(tmp_path, {"a.cpp": own})
    assert hipport("compat", "a.cpp", "-o", "h.h", cwd=tmp_path) == DONE
    text = (tmp_path / "h.h").read_text("utf-8")
    assert [line for line in text.splitlines() if "#define cuda" in line] == [
        "#define cudaStream_t hipStream_t"
    ]


def test_exclude_leaves_files_out(tmp_path: Path) -> None:
    tree(tmp_path)
    command = ["compat", "src", "-o", "h.h", "--exclude", "*.c", "--rocm", "7.1"]
    assert hipport(*command, cwd=tmp_path) == DONE
    assert "cudaMallocHost" not in (tmp_path / "h.h").read_text("utf-8")


def test_wrong_use(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": SOURCE, "w.cu": b"cudaFree\0"})
    assert hipport("compat", "a.cu", "-o", "h.txt", cwd=tmp_path) == Ran(
        2, "", "hipport: -o h.txt: not a header's name (end it in .h)\n"
    )
    assert hipport("compat", "no.cu", "-o", "h.h", cwd=tmp_path) == Ran(
        2, "", "hipport: no.cu: no such file or folder (check the path)\n"
    )
    (tmp_path / "f.cu").symlink_to("/dev/zero")
    done = hipport("compat", "f.cu", "-o", "h.h", cwd=tmp_path)
    assert done == Ran(2, "", "hipport: f.cu: not a regular file (take it out of the tree)\n")
    assert listing(tmp_path) == ["a.cu", "f.cu", "h.h", "w.cu"]


def test_tests_of_cudas_macros_are_told(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.h": "#ifdef __CUDACC__\n#define GPU __device__\n#endif\n"})
    assert hipport("compat", "a.h", "-o", "h.h", cwd=tmp_path).code == 1
    assert (
        "//   a.h:1: HP-GUARD-002 `__CUDACC__` is not defined under HIP: test `__HIPCC__` as well\n"
    ) in (tmp_path / "h.h").read_text("utf-8")


def test_the_configuration_counts(tmp_path: Path) -> None:
    config = 'rocm = "6.0"\nlibs = "roc"\nexclude = ["old/"]\nignore = ["HP-API-001"]\n'
    files = {
        "hipport.toml": config,
        "src/a.c": C_SOURCE,
        "src/b.cu": "#include <cublas_v2.h>\ncublasHandle_t h;\n",
        "src/old/c.cu": "cufftHandle h;\n",
    }
    make_tree(tmp_path, files)
    assert hipport("compat", "src", "-o", "x.h", cwd=tmp_path) == DONE
    text = (tmp_path / "x.h").read_text("utf-8")
    assert "for ROCm 6.0;" in text and "rocblas_handle" in text and "hipfft" not in text
    assert hipport("compat", "src", "-o", "x.h", "--isolated", cwd=tmp_path).code == 1
    assert "hipblasHandle_t" in (tmp_path / "x.h").read_text("utf-8")


def test_one_header_cannot_serve_two_configurations(tmp_path: Path) -> None:
    files = {f"{each}/hipport.toml": f'rocm = "{each}.0"\n' for each in "67"}
    make_tree(tmp_path, {**files, "6/a.cu": SOURCE, "7/a.cu": SOURCE})
    ran = hipport("compat", "6", "7", "-o", "x.h", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "the sources have different configurations" in ran.err
    assert hipport("compat", "6", "-o", "x.h", cwd=tmp_path).code in (0, 1)


def test_stand_ins_stay_in_their_folder(tmp_path: Path) -> None:
    """Rules of a tree may name any header; nothing is written where only its name leads."""
    names = ("../../out.h", str(tmp_path / "out.h"), "a/../../../out.h")
    lines = "".join(f"{name}\thip/hip_runtime.h\tmap\n" for name in (*names, "a/mine.h"))
    files = {
        "src/a.cu": "".join(f"#include <{name}>\n" for name in (*names, "a/mine.h")),
        "src/rules/headers.tsv": f"cuda\thip\taction\n{lines}",
        "src/hipport.toml": 'extend-rules = ["rules"]\n',
    }
    make_tree(tmp_path / "in", files)
    arguments = ("compat", "src", "-o", "out/deep/c.h", "--stand-ins")
    assert hipport(*arguments, cwd=tmp_path / "in") == DONE
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.h")}
    assert written == {"in/out/deep/c.h", "in/out/deep/c/a/mine.h"}
