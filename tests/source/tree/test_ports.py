"""What a tree that builds for AMD already has no manual findings about."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport import audit
from hipport.source.tree.file_task import LARGEST_SOURCE, language_of

HIP = "find_package(hip REQUIRED)\n"
CUDA = "set(CMAKE_CUDA_STANDARD 17)\n"
VERSION = "#if CUDART_VERSION >= 12000\nint new_enough;\n#endif\n"
SCRIPT = "nvcc -c a.cu\n"
SOURCE = "#include <cuda_runtime.h>\n#if __CUDA_ARCH__ >= 800\nint fast;\n#endif\n"


def found(folder: Path, files: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    """File -> the codes and severities of its findings."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result: dict[str, list[tuple[str, str]]] = {}
    for each in audit(folder).report.findings:
        result.setdefault(each.path, []).append((each.code, each.severity.word))
    return result


@pytest.mark.parametrize(
    ("project", "severity"),
    [("CMakeLists.txt", "review"), ("other/CMakeLists.txt", "manual"), ("README.md", "manual")],
)
def test_what_a_ported_project_answers(tmp_path: Path, project: str, severity: str) -> None:
    files = {project: HIP, "test/CMakeLists.txt": CUDA, "test/a.cpp": VERSION, "ci.sh": SCRIPT}
    result = found(tmp_path, files)
    settled = ("HP-PORT-002", "info") if severity == "review" else ("HP-CMAKE-006", "manual")
    assert result["test/CMakeLists.txt"] == [settled]
    assert result["test/a.cpp"] == [("HP-GUARD-003", severity)]
    assert result["ci.sh"] == [("HP-MAKE-001", severity)]


@pytest.mark.parametrize(
    ("source", "severity"), [("source", "review"), ("other", "manual"), ("../source", "manual")]
)
def test_a_package_built_from_a_ported_project(tmp_path: Path, source: str, severity: str) -> None:
    package = (
        '[project]\nname = "waves"\n[project.optional-dependencies]\n'
        'cu12 = ["nvidia-cufft-cu12"]\n'
        f'[tool.scikit-build]\ncmake.source-dir = "{source}"\n'
    )
    code = 'import ctypes\n\nfft = ctypes.CDLL("libcufft.so")\n'
    files = {"source/CMakeLists.txt": HIP, "pyproject.toml": package, "waves/fft.py": code}
    result = found(tmp_path, files)
    assert result["pyproject.toml"] == [("HP-PY-032", severity)]
    settled = ("HP-PORT-002", "info") if severity == "review" else ("HP-PY-048", "manual")
    assert result["waves/fft.py"] == [settled]


@pytest.mark.parametrize(
    ("project", "text"),
    [
        ("setup.py", "import torch\nis_old = torch.version.hip is None\n"),
        ("configure.ac", "AC_ARG_WITH([rocm])\nAC_PATH_PROG([HIPCC], [hipcc])\n"),
        ("pyproject.toml", '[project.optional-dependencies]\nrocm6 = ["hip-python"]\n'),
        ("pyproject.toml", '[project.optional-dependencies]\namdgpu = ["waves-amdgpu"]\n'),
        ("pyproject.toml", '[project]\nname = "waves-rocm"\n'),
        ("pyproject.toml", '[project]\nname = "waves_amdgpu"\n'),
        ("pyproject.toml", '[project]\nname = "waves-hip"\n'),
        ("Cargo.toml", '[features]\ncuda = []\nrocm = ["dep:hip-sys"]\n'),
        ("meson.build", "hipcc = find_program('hipcc')\n"),
    ],
)
def test_a_project_that_is_built_for_amd_by_other_means(
    tmp_path: Path, project: str, text: str
) -> None:
    code = 'import ctypes\n\nfft = ctypes.CDLL("libcufft.so")\n'
    asks = {project: "# hipcc\n", "waves/fft.py": code, "waves/a.cpp": VERSION}
    assert dict(found(tmp_path / "a", asks)["waves/fft.py"]) == {"HP-PY-048": "manual"}
    result = found(tmp_path / "b", {**asks, project: text})
    assert result["waves/fft.py"] == [("HP-PY-048", "review")]
    assert result["waves/a.cpp"] == [("HP-GUARD-003", "review")]


@pytest.mark.parametrize(
    ("head", "severity"),
    [
        ("# Modifications Copyright(C)[2025] Advanced Micro Devices, Inc.\n", "review"),
        ("# Copyright (c) 2024, Waves.\n# Not on GPUs of Advanced Micro Devices.\n", "manual"),
    ],
)
def test_a_module_that_amd_wrote(tmp_path: Path, head: str, severity: str) -> None:
    code = f"{head}import torch\n\nis_new = torch.cuda.get_device_capability()[0] >= 9\n"
    assert found(tmp_path, {"bench.py": code})["bench.py"] == [("HP-PY-003", severity)]


def test_operators_of_vllm_in_a_package_for_amd(tmp_path: Path) -> None:
    code = "def bench():\n    from vllm import _custom_ops as ops\n\n    return ops\n"
    files = {"waves/bench.py": code, "setup.py": "import torch\n"}
    assert found(tmp_path / "a", files)["waves/bench.py"] == [("HP-PY-038", "manual")]
    files["setup.py"] += "is_old = torch.version.hip is None\n"
    assert found(tmp_path / "b", files)["waves/bench.py"] == [("HP-PY-038", "review")]


@pytest.mark.parametrize("name", ["waves", "ship", "hipster", "waves-chip", "amdgpus"])
def test_a_package_that_is_not_named_for_amd(tmp_path: Path, name: str) -> None:
    project = f'[project]\nname = "{name}"\ndescription = "As fast as ROCm and amdgpu."\n'
    code = 'import ctypes\n\nfft = ctypes.CDLL("libcufft.so")\n'
    result = found(tmp_path, {"pyproject.toml": project, "waves/fft.py": code})
    assert result["waves/fft.py"] == [("HP-PY-048", "manual")]


@pytest.mark.parametrize(
    ("project", "before", "after"),
    [
        ("go.mod", "require (\n", "\tgithub.com/ROCm/amdsmi v0.1.0\n"),
        ("Project.toml", "[weakdeps]\n", 'AMDGPU = "21141c5a-9bdb-4563-92ae-f87d6854732e"\n'),
        ("build.zig", "// hipcc\n", 'exe.linkSystemLibrary("amdhip64");\n'),
    ],
)
def test_a_project_of_another_language_for_amd(
    tmp_path: Path, project: str, before: str, after: str
) -> None:
    files = {project: before, "waves/a.cpp": VERSION}
    assert found(tmp_path / "a", files)["waves/a.cpp"] == [("HP-GUARD-003", "manual")]
    result = found(tmp_path / "b", {**files, project: before + after})
    assert result["waves/a.cpp"] == [("HP-GUARD-003", "review")]


def test_an_extension_of_julia_beside_one_for_amd(tmp_path: Path) -> None:
    files = {"ext/WavesCUDAExt.jl": "module WavesCUDAExt\nusing CUDA\nend\n"}
    assert list(found(tmp_path, files)) == ["ext/WavesCUDAExt.jl"]
    assert found(tmp_path, {"ext/WavesAMDGPUExt.jl": "module WavesAMDGPUExt\nend\n"}) == {}


def test_a_makefile_that_is_called_after_hip(tmp_path: Path) -> None:
    text = "a.o: a.cu\n\tnvcc -arch=sm_80 -c a.cu\n"
    assert language_of("Makefile.hip") == ""
    assert language_of("a.hip") == "cuda"
    assert "Makefile.cu" in found(tmp_path, {"Makefile.cu": text, "Makefile.hip": "a:\n\thipcc\n"})


@pytest.mark.parametrize(
    ("port", "severity"),
    [
        ("waves/backends/rocm_runtime.py", "review"),
        ("waves/backends/metal_runtime.py", "manual"),
        ("other/backends/rocm_runtime.py", "manual"),
    ],
)
def test_a_package_with_a_module_for_amd(tmp_path: Path, port: str, severity: str) -> None:
    code = 'import ctypes\n\nfft = ctypes.CDLL("libcufft.so")\n'
    files = {
        "waves/__init__.py": "",
        "waves/tools/fft.py": code,
        "waves/tools/checks.py": 'if major == 9 and "nvidia" in name:\n    start(major)\n',
        "waves/backends/cuda_runtime.py": "",
        "waves/a.cpp": VERSION,
        port: "def launch():\n    pass\n",
    }
    assert found(tmp_path, files) == {
        "waves/a.cpp": [("HP-GUARD-003", "manual")],
        "waves/tools/checks.py": [("HP-NET-002", "review")],
        "waves/tools/fft.py": [("HP-PY-048", severity)],
    }


def test_a_package_whose_table_is_none(tmp_path: Path) -> None:
    package = '[project]\nname = "waves"\ndependencies = ["nvidia-cufft-cu12"]\n[tool]\n'
    files = {"source/CMakeLists.txt": HIP, "pyproject.toml": package + "scikit-build = 1\n"}
    assert found(tmp_path, files)["pyproject.toml"] == [("HP-PY-032", "manual")]


def test_what_scripts_and_templates_of_a_ported_project_have(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": HIP,
        "run/node.sh": "export UCX_TLS=rc_x,cuda_copy,cuda_ipc\n",
        "templates/sums.jinja": "{% if n %}\nextern __shared__ char s[];\n{% endif %}\n",
    }
    result = found(tmp_path, files)
    assert result["run/node.sh"] == [("HP-MPI-003", "review")]
    assert result["templates/sums.jinja"] == [("HP-PY-094", "review")]


def test_what_no_project_answers(tmp_path: Path) -> None:
    kernel = '__device__ void f(int *p) { asm volatile("prefetch.global.L2 [%0];" :: "l"(p)); }\n'
    result = found(tmp_path, {"CMakeLists.txt": HIP, "k.cu": kernel})
    assert "review" not in dict(result["k.cu"]).values()


@pytest.mark.parametrize("port", ["hip", "rocm"])
def test_a_folder_for_nvidia_beside_its_port(tmp_path: Path, port: str) -> None:
    files = {
        "system/cuda/cuda_error.cpp": SOURCE,
        "system/cuda/copy.cu": SOURCE,
        "system/cuda/only.cu": SOURCE,
        f"system/{port}/{port}_error.cpp": "",
        f"system/{port}/copy.hip": "",
    }
    assert found(tmp_path, files) == {}


def test_a_folder_whose_port_has_other_libraries(tmp_path: Path) -> None:
    files = {
        "gpu/cuda/cusparseSolver.cu": SOURCE,
        "gpu/cuda/cuWells.hpp": SOURCE,
        "gpu/cuda/cuda_header.hpp": SOURCE,
        "gpu/rocm/rocsparseSolver.cpp": "",
        "gpu/rocm/rocWells.hpp": "",
    }
    assert found(tmp_path, files) == {}


@pytest.mark.parametrize("port", ["hip_source", "rocm-source"])
def test_a_folder_beside_one_with_a_mark_for_amd(tmp_path: Path, port: str) -> None:
    files = {"source/kernel.cu": SOURCE, f"{port}/kernel.hip.cpp": ""}
    assert found(tmp_path / "same", files) == {}
    others = {"source/kernel.cu": SOURCE, f"{port}/other.hip.cpp": ""}
    assert list(found(tmp_path / "other", others)) == ["source/kernel.cu"]


def test_kernels_of_a_port_that_is_too_large(tmp_path: Path) -> None:
    kernel = f"__global__ void k() {{}}\n{SOURCE}"
    files = {"cuda/a.cu": "", "cuda/part/b.cu": kernel, "hip/a.hip": "", "hip/part/c.hip": kernel}
    assert list(found(tmp_path / "read", files)) == ["hip/part/c.hip"]
    port = tmp_path / "large/hip/part/c.hip"
    port.parent.mkdir(parents=True)
    port.touch()
    os.truncate(port, LARGEST_SOURCE + 1)
    del files["hip/part/c.hip"]
    assert list(found(tmp_path / "large", files)) == ["cuda/part/b.cu"]


def test_kernels_without_number(tmp_path: Path) -> None:
    many = "__global__ " * 80_000
    files = {"cuda/a.cu": "", "cuda/part/b.cu": f"{SOURCE}{many}", "hip/a.hip": ""}
    result = found(tmp_path, files | {"hip/part/c.hip": ""})
    assert all(code != "HP-LIMIT-001" for codes in result.values() for code, _ in codes)


def test_a_folder_beside_another_that_has_little_of_it(tmp_path: Path) -> None:
    files = {
        "aten/cuda/error.cu": SOURCE,
        "aten/cuda/copy.cu": SOURCE,
        "aten/cuda/sort.cu": SOURCE,
        "aten/hip/error.hip": "",
    }
    assert sorted(found(tmp_path, files)) == [name for name in sorted(files) if "cuda" in name]


def test_classes_that_moved_and_that_the_tree_declares(tmp_path: Path) -> None:
    use = "#include <hipcub/hipcub.hpp>\nhipcub::TransformInputIterator<int> i;\n"
    own = "#include <hip/hip_runtime.h>\nnamespace hipcub {\nclass TransformInputIterator {};\n}\n"
    assert ("HP-HIP-001", "manual") in found(tmp_path, {"a.cpp": use})["a.cpp"]
    assert "a.cpp" not in found(tmp_path, {"iterator.hpp": own, "a.cpp": use})


def test_names_that_moved_and_that_the_tree_defines(tmp_path: Path) -> None:
    use = "#include <hip/hip_runtime.h>\nint lanes = ROCPRIM_WAVEFRONT_SIZE;\n"
    own = "#include <hip/hip_runtime.h>\n#define ROCPRIM_WAVEFRONT_SIZE 64\n"
    assert found(tmp_path, {"a.hip": use}) == {"a.hip": [("HP-HIP-001", "manual")]}
    assert found(tmp_path, {"config.hpp": own, "a.hip": use}) == {}
    mentioned = f"// before 7.0:\n/*\n{own}*/\n"
    result = found(tmp_path / "mentioned", {"config.hpp": mentioned, "a.hip": use})
    assert result == {"a.hip": [("HP-HIP-001", "manual")]}


def test_a_macro_that_is_only_asked_about(tmp_path: Path) -> None:
    asked = "#include <cub/cub.cuh>\n#ifdef CUB_RUNTIME_ENABLED\n#endif\nint f();\n"
    used = "#include <cub/cub.cuh>\n#if CUB_RUNTIME_ENABLED > 1\n#endif\nint f();\n"
    result = found(tmp_path, {"asked.cu": asked, "used.cu": used})
    assert ("HP-API-001", "review") in result["asked.cu"]
    assert ("HP-API-001", "manual") in result["used.cu"]


def test_macros_that_the_build_defines(tmp_path: Path) -> None:
    use = "#include <hip/hip_runtime.h>\nint lanes = ROCPRIM_WAVEFRONT_SIZE;\n"
    build = "target_compile_definitions(a PRIVATE ROCPRIM_WAVEFRONT_SIZE=64)\n"
    header = "#include <hip/hip_runtime.h>\n"
    files = {"CMakeLists.txt": HIP + build, "a.hip": use, "a.hpp": header}
    assert found(tmp_path, files) == {}


def test_types_and_values_that_a_library_declares_itself(tmp_path: Path) -> None:
    own = (
        "/* of hip */\ntypedef struct hipblasComplex\n{ float x; } hipblasComplex;\n"
        "typedef enum\n{\n    HIPBLAS_R_16F = 150, // half\n} hipblasDatatype_t;\n"
    )
    use = "hipblasComplex z;\nhipblasDatatype_t t = HIPBLAS_R_16F;\n"
    files = {"a.cpp": f"#include <hipblas/hipblas.h>\n{use}"}
    codes = [("HP-HIP-001", "manual"), *[("HP-TYPE-007", "manual")] * 2]
    assert found(tmp_path, files)["a.cpp"] == codes
    assert found(tmp_path, {**files, "hipblas.h": own}) == {}


def test_what_a_header_defines_in_its_branch_for_amd(tmp_path: Path) -> None:
    own = (
        "#ifdef USE_ROCM\n#define __grid_constant__\n#define cudaMalloc hipMalloc\n"
        "#else\n#define __dp4a(a, b, c) old(a, b, c)\n#endif\n"
    )
    use = (
        "#include <cuda_runtime.h>\n__global__ void k(const __grid_constant__ int n) {\n"
        "  int x = __dp4a(1, 2, 3);\n}\n"
    )
    files = {"setup.py": "-DUSE_ROCM", "k.cu": use}
    alone = {code for code, _ in found(tmp_path, files)["k.cu"]}
    together = {code for code, _ in found(tmp_path, {**files, "device.cuh": own})["k.cu"]}
    assert alone - together == {"HP-LAUNCH-007"}


def test_a_header_that_gives_names_of_cuda(tmp_path: Path) -> None:
    header = (
        "#define cudaMalloc hipMalloc\n#define cudaFree hipFree\n#define CUDA_C_32F HIPBLAS_C_32F\n"
        "#define cudaSuccess hipSuccess\n"
        "__device__ float __shfl_down_sync(unsigned m, float v, int d) {\n"
        "  return __shfl_down(v, d);\n}\n"
    )
    assert found(tmp_path, {"cuda2hip.h": header}) == {"cuda2hip.h": [("HP-TYPE-007", "manual")]}


def test_a_class_and_a_function_beside_their_ports(tmp_path: Path) -> None:
    flag = '        return ["nvcc", "-lineinfo", "-gencode=arch=compute_80,code=sm_80"]\n'
    cuda = f"class CudaCompiler:\n    def flags(self):\n{flag}"
    assert "a.py" in found(tmp_path, {"a.py": cuda})
    assert found(tmp_path, {"a.py": f"{cuda}\nclass HipCompiler:\n    pass\n"}) == {}
    runner = cuda.replace("CudaCompiler", "CUDAGraphRunner")
    assert found(tmp_path, {"a.py": f"{runner}\nclass HIPGraphRunner:\n    pass\n"}) == {}
    stub = "class HipCompiler:\n    def flags(self):\n        raise NotImplementedError\n"
    assert "a.py" in found(tmp_path, {"a.py": f"{cuda}\n{stub}"})
    lone = f"{cuda}\nclass Other:\n    class HipCompiler:\n        pass\n"
    assert "a.py" in found(tmp_path, {"a.py": lone})


def test_headers_of_a_library_are_its_own(tmp_path: Path) -> None:
    use = '#include "petscvec.h"\n'
    assert found(tmp_path, {"src/a.c": use}) == {"src/a.c": [("HP-LIB-028", "info")]}
    assert found(tmp_path, {"src/a.c": use, "include/petscvec.h": ""}) == {}


def test_a_condition_that_tests_macros_of_hip_too(tmp_path: Path) -> None:
    both = "#if defined(__CUDACC__) || defined(__HIPCC__)\nint device;\n#endif\n"
    assert found(tmp_path, {"a.h": both}) == {}


def test_cython_reaches_hip_by_names_that_a_header_declares_for_it(tmp_path: Path) -> None:
    use = 'cdef extern from "backend.h":\n    int cudaFree(void* memory)\n'
    branch = '#if OURS\n#include "for_hip.h"\n#else\n#include <cuda_runtime.h>\n#endif\n'
    ours = "cudaError_t cudaFree(void* memory) {\n    return hipFree(memory);\n}\n"
    reported = found(tmp_path, {"a.pyx": use, "backend.h": branch})
    assert reported["a.pyx"] == [("HP-LIB-048", "manual")]
    assert "a.pyx" not in found(tmp_path, {"for_hip.h": ours})


def test_cython_takes_all_names_from_a_header_that_asks_for_amd(tmp_path: Path) -> None:
    use = 'cdef extern from "../backend.h":\n    int ncclCommAbort(void* one)\n'
    other = "def stop(one):\n    ncclCommAbort(<void*>one)\n"
    sources = {"b/a.pyx": use, "b/c.pyx": other, "backend.h": "#include <nccl.h>\n"}
    reported = found(tmp_path, sources)
    assert [name for name in reported if "HP-LIB-048" in dict(reported[name])] == [
        "b/a.pyx",
        "b/c.pyx",
    ]
    branch = "#if USE_HIP\n#include <rccl/rccl.h>\n#else\n#include <nccl.h>\n#endif\n"
    reported = found(tmp_path, {"backend.h": branch})
    assert not {"b/a.pyx", "b/c.pyx"} & {*reported}


def test_cupy_itself_compiles_what_its_kernels_are_given(tmp_path: Path) -> None:
    text = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
    use = f"import cupy\n\nm = cupy.RawModule(code='{text}', options=('--std=c++11',))\n"
    assert ("HP-PY-027", "manual") in found(tmp_path / "user", {"waves.py": use})["waves.py"]
    packaged = found(tmp_path / "own", {"cupy/__init__.py": "", "cupy/waves.py": use})
    assert "HP-PY-027" not in [code for code, _ in packaged["cupy/waves.py"]]
