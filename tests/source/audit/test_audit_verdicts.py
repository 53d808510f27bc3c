"""What --targets and --rocm change, which of several findings at a place stays, what hides one."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from hipport.model import Finding
from hipport.rulebook.device_features import features, workgroup_memory
from hipport.rulebook.load import load
from hipport.rulebook.model import parse_version
from hipport.source.audit.audit_file import findings_in, kind_of
from hipport.source.audit.run_audit import audit
from hipport.source.convert.pipeline import default_options
from hipport.source.convert.suppressions import kept
from hipport.source.names.counterparts import Decisions
from hipport.source.tree.file_task import Outcome, language_of
from hipport.source.tree.task_list import Wishes, plan
from tests.support.command import make_tree

RULES = load(is_audit=True)


def found_in(code: str, name: str = "k.cu", targets: str = "", rocm: str = "") -> list[Finding]:
    """What the audit finds in a text for these GPUs and this release."""
    options = default_options(RULES)._replace(targets=tuple(targets.split()), helpers=False)
    if rocm:
        options = options._replace(rocm=parse_version(rocm))
    language = language_of(PurePosixPath(name).name)
    kind = language or kind_of(name)
    decisions = Decisions(RULES, options)
    found = findings_in(code.encode(), name, kind, language, decisions).findings
    return kept(code.encode(), found, name, kind, RULES)


def verdicts(code: str, **options: str) -> list[tuple[str, str]]:
    return [(each.code, each.severity.word) for each in found_in(code, **options)]


HIP = "#include <hip/hip_runtime.h>\n"
LANE = f"{HIP}__global__ void k() {{\n  int lane = threadIdx.x & 31;\n  warp_sum(lane);\n}}\n"
BALLOT = f"{HIP}__global__ void k(bool p) {{\n  unsigned m = __ballot(p);\n}}\n"
BOUNDS_OF_64 = "Write blocks * threads / (64 * 2), or / (64 * 4) if above 8, or leave it out."
BOUNDS = "__global__ __launch_bounds__(256, 2) void k() {}\n"
FETCH = "void f(cudaTextureObject_t t);\n"
FP8 = "void f(__nv_fp8_e4m3* x);\n"
MANAGED = "void f(void** p) {\n  cudaMallocManaged(p, 4);\n}\n"
WMMA = "#include <mma.h>\n"
DOT = "__device__ int f(int a, int b) {\n  return __dp4a(a, b, 0);\n}\n"
MASK = f"{HIP}__device__ void f(int a) {{\n  __shfl_sync(0xffffffff, a, 0);\n}}\n"


@pytest.mark.parametrize(
    ("code", "targets", "expected"),
    [
        (LANE, "", [("HP-WARP-001", "manual")]),
        (LANE, "gfx90a", [("HP-WARP-001", "manual")]),
        (LANE, "gfx1100", [("HP-WARP-001", "info")]),
        (LANE, "gfx1100 gfx90a", [("HP-WARP-001", "manual")]),
        (BALLOT, "", [("HP-WARP-004", "manual")]),
        (BALLOT, "gfx1201 gfx1030", [("HP-WARP-004", "info")]),
        (FETCH, "", [("HP-TEX-002", "review")]),
        (FETCH, "gfx942", [("HP-TEX-002", "blocker")]),
        (FETCH, "gfx90a gfx1100", [("HP-TEX-002", "info")]),
        (FETCH, "gfx90a gfx942", [("HP-TEX-002", "review")]),
        (FP8, "", [("HP-TYPE-003", "review")]),
        (FP8, "gfx942", [("HP-TYPE-003", "manual")]),
        (FP8, "gfx950 gfx1200", [("HP-TYPE-003", "info")]),
        (FP8, "gfx90a", [("HP-TYPE-003", "review")]),
        (MANAGED, "gfx90a gfx942", [("HP-MEM-001", "review")]),
        (MANAGED, "gfx1100", [("HP-MEM-001", "manual")]),
        (WMMA, "", [("HP-MMA-001", "manual")]),
        (WMMA, "gfx1030", [("HP-MMA-001", "blocker")]),
    ],
)
def test_severity_by_target(code: str, targets: str, expected: list[tuple[str, str]]) -> None:
    assert verdicts(code, targets=targets) == expected


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("kernels/gfx1100/sum.hip", "info"),
        ("hip_gfx11/sum.hip", "info"),
        ("sum_gfx1201.hip", "info"),
        ("kernels/gfx90a/sum.hip", "manual"),
        ("include/rdna4/sum.hip", "info"),
        ("include/cdna5/sum.hip", "info"),
        ("cdna4/sum.hip", "manual"),
        ("rdna9/sum.hip", "manual"),
        ("rdnax/sum.hip", "manual"),
        ("gfx1100_gfx90a/sum.hip", "manual"),
        ("gfx1100/gfx99zz/sum.hip", "manual"),
        ("pgfx1100/sum.hip", "manual"),
    ],
)
def test_a_path_that_names_targets_says_what_the_file_is_for(name: str, severity: str) -> None:
    assert verdicts(LANE, name=name) == [("HP-WARP-001", severity)]
    assert verdicts(LANE, name=name, targets="gfx90a") == [("HP-WARP-001", "manual")]


def test_builtins_for_waves_of_32_lanes_say_what_a_file_is_for() -> None:
    wmma = "__device__ void g() { __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c); }\n"
    assert ("HP-WARP-001", "info") in verdicts(LANE + wmma)
    assert ("HP-WARP-001", "manual") in verdicts(LANE + wmma.replace("_w32", "_w64"))
    mfma = "__device__ void h() { __builtin_amdgcn_mfma_f32_4x4x1f32(a, b, c, 0); }\n"
    assert ("HP-WARP-001", "manual") in verdicts(LANE + wmma + mfma)


def test_lanes_that_do_nothing_together_may_be_counted_by_32() -> None:
    assert not verdicts(LANE.replace("warp_sum", "store"))
    assert ("HP-WARP-001", "manual") in verdicts(LANE.replace("warp_sum", "__shfl_down"))


def test_a_verdict_says_why() -> None:
    (finding,) = found_in(LANE, targets="gfx1100")
    assert finding.message == (
        "`threadIdx.x & 31` relies on 32 lanes: the result is used as the index of a lane or a "
        "warp; CDNA and GCN have 64 (every target of this code runs waves of 32 lanes)"
    )


@pytest.mark.parametrize(
    ("branch", "stops"),
    [
        ("#if CUBLAS_VER_MAJOR < 11\n#error old\n#endif\n", True),
        ("#if CUBLAS_VER_MAJOR < 11\n#ifdef X\n#error old\n#endif\n#endif\n", False),
        ("#if CUBLAS_VER_MAJOR >= 11\n#error new\n#endif\n", False),
        ("#if CUBLAS_VER_MAJOR < 11\nint a;\n#else\n#error new\n#endif\n", False),
    ],
)
def test_a_version_test_names_the_error_that_it_lets_through(branch: str, stops: bool) -> None:
    (finding,) = (each for each in found_in(branch, "k.h") if each.code == "HP-GUARD-003")
    assert ("and the #error of line 2 stops the compiler" in finding.message) == stops


@pytest.mark.parametrize(
    ("code", "targets", "says"),
    [
        (BOUNDS, "gfx1100", "Write blocks * threads / (32 * 4), at most 16, or leave it out."),
        (
            BOUNDS,
            "gfx90a",
            BOUNDS_OF_64,
        ),
        (DOT, "gfx90a", "Call __builtin_amdgcn_sdot4(a, b, c, false)."),
        (DOT, "gfx1200", "Call __builtin_amdgcn_sudot4(true, a, true, b, c, false)."),
        (DOT, "gfx900", "Multiply and add the four bytes one by one."),
    ],
)
def test_remedy_by_target(code: str, targets: str, says: str) -> None:
    assert [each.suggestion for each in found_in(code, targets=targets)] == [says]


@pytest.mark.parametrize(
    ("kilobytes", "targets", "expected"),
    [
        (64, "", []),
        (96, "", ["blocker"]),
        (96, "gfx942", ["blocker"]),
        (96, "gfx950", []),
        (160, "gfx950", []),
        (161, "gfx950", ["blocker"]),
        (96, "gfx950 gfx1100", ["blocker"]),
        (48, "gfx600", ["blocker"]),
    ],
)
def test_shared_memory_by_target(kilobytes: int, targets: str, expected: list[str]) -> None:
    attribute = "cudaFuncAttributeMaxDynamicSharedMemorySize"
    code = f"void f() {{ cudaFuncSetAttribute(k, {attribute}, {kilobytes} * 1024); }}\n"
    found = found_in(code, targets=targets)
    assert [each.severity.word for each in found if each.code == "HP-MEM-012"] == expected


@pytest.mark.parametrize(
    ("rocm", "expected"),
    [("6.4", [("HP-WARP-003", "review")]), ("7.0", [("HP-WARP-003", "blocker")])],
)
def test_masks_of_64_bits_are_asked_for_from_rocm_7(
    rocm: str, expected: list[tuple[str, str]]
) -> None:
    assert verdicts(MASK, rocm=rocm) == expected


def test_a_generic_processor_has_what_all_that_it_covers_have() -> None:
    assert {"mfma", "xnack", "wave64"} <= features(RULES, "gfx9-4-generic")
    assert not {"images", "fp8_fnuz", "fp8_ocp"} & features(RULES, "gfx9-4-generic")
    assert workgroup_memory(RULES, ["gfx950"]) == 163840
    assert workgroup_memory(RULES, []) == 0


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        # A CUDA name without a counterpart, and what to write for it.
        ("k.cu", "__device__ void f(int* a) { __stcg(a, 1); }\n", ["HP-MEM-010"]),
        ("k.cu", "__device__ void f() { __nothing_known(); cudaNothing(); }\n", ["HP-API-002"]),
        # Statements: the instruction, else the constraint, else that it is PTX.
        ("k.cu", 'void f() { asm("mov.u32 %0, %%laneid;" : "=r"(x)); }\n', ["HP-ASM-004"]),
        ("k.cu", 'void f() { asm("copysign.f32 %0, 1;" : "=f"(x)); }\n', ["HP-ASM-002"]),
        ("k.cu", 'void f() { asm("copysign.f32 %0, 1;" : "=r"(x)); }\n', ["HP-ASM-001"]),
        (
            "k.cu",
            'void f() {\n  asm(\n    "{\\n"\n    "mov.u32 %0, %%laneid;"\n    : "=r"(x));\n}\n',
            ["HP-ASM-004"],
        ),
        ("a.py", "import apex\n", ["HP-PY-011"]),
        ("a.py", "from apex.optimizers import FusedAdam\n", ["HP-PY-012"]),
        ("m.cpp", "#include <mpi-ext.h>\n#if MPIX_CUDA_AWARE_SUPPORT\n#endif\n", ["HP-MPI-002"]),
    ],
)
def test_one_finding_to_a_place(name: str, code: str, expected: list[str]) -> None:
    found = [each.code for each in found_in(code, name)]
    assert list(dict.fromkeys(found)) == expected


def test_a_copy_of_a_header_of_cudas_is_named_and_its_contents_left_out() -> None:
    code = '/* NOTICE TO LICENSEE: */\n#pragma once\nvoid f() { asm("cvt.rn.f16.f32 a;"); }\n'
    expected = [("HP-MAKE-014", "review")]
    assert verdicts(code, name="third_party/cuda_fp16.hpp") == expected
    assert verdicts(code, name="third_party/half.hpp") == [("HP-ASM-031", "manual")]


@pytest.mark.parametrize(
    ("name", "code", "is_hidden"),
    [
        ("k.cu", "int l = threadIdx.x & 31;  // hipport: ignore\n", True),
        ("k.cu", 'int lane = threadIdx.x & 31; f("// hipport: ignore");\n', False),
        ("a.py", "import apex  # hipport: ignore\n", True),
        ("a.py", 'import apex; a = "# hipport: ignore"\n', False),
        ("a.py", '"""\n# hipport: ignore-file\n"""\nimport apex\n', False),
        ("run.sh", "nvidia-smi  # hipport: ignore\n", True),
        ("run.sh", 'nvidia-smi; echo "# hipport: ignore"\n', False),
        ("CMakeLists.txt", "find_package(CUDA)  # hipport: ignore\n", True),
        ("CMakeLists.txt", 'find_package(CUDA)\nmessage("a # hipport: ignore-file")\n', False),
    ],
)
def test_suppressions_stand_in_comments(name: str, code: str, is_hidden: bool) -> None:
    assert ([each for each in found_in(code, name) if each.code != "HP-SUPPRESS-001"] == []) == (
        is_hidden
    )


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        # What a rule's `unless` names counts in code, not in comments.
        ("Makefile", "NVCC = nvcc\nHIPCC = hipcc\n", []),
        ("Makefile", "NVCC = nvcc\n# or hipcc\n", ["HP-MAKE-001"]),
        ("a.py", "import torch\nx = torch.float8_e4m3fn\nif is_hip(): pass\n", []),
        ("a.py", "import torch\nx = torch.float8_e4m3fn  # is_hip\n", ["HP-PY-045"]),
        # Prose in strings is no code.
        ("a.py", 'raise E("you have to install transformer-engine>=2.6 first")\n', []),
        # Packages are required in setup.py, and only spoken of elsewhere.
        ("setup.py", 'setup(install_requires=[\n  "bitsandbytes",\n])\n', ["HP-PY-023"]),
        ("model.py", 'KINDS = [\n  "bitsandbytes",\n]\n', []),
        ("requirements/cuda.txt", "bitsandbytes\n", ["HP-PY-023"]),
        ("notes/cuda.txt", "bitsandbytes\n", []),
        # The unrelated package of that name.
        ("apex-0.9/apex/models.py", "import apex.amp\n", []),
        ("CMakeLists.txt", "#[==[\nfind_package(CUDA)\n]==]\nmessage(STATUS CUDA::cudart)\n", []),
        ("k.cu", "#if defined(__CUDA_ARCH__) && !defined(USE_ROCM)\n#endif\n", []),
    ],
)
def test_what_is_told_where(name: str, code: str, expected: list[str]) -> None:
    assert [each.code for each in found_in(code, name)] == expected


def audited(folder: Path) -> list[Outcome]:
    tasks = plan([str(folder)], Wishes(writes=False), print)
    return list(audit(tasks, default_options(RULES)))


def test_files_beside_a_port_are_left_out(tmp_path: Path) -> None:
    code = "import apex\n"
    names = ("cuda.py", "rocm.py", "test_cuda.py", "barracuda.py", "barrahip.py", "a_cuda.cu")
    make_tree(tmp_path, {**dict.fromkeys(names, code), "a_hip.cu": "", "a_cuda.cu": "__dp4a(1);"})
    found = {each.file.path: each.file.reason for each in audited(tmp_path)}
    assert {path: reason for path, reason in found.items() if reason} == {
        "cuda.py": "for NVIDIA; the port is rocm.py"
    }


def test_folders_for_other_devices_and_ported_ones_are_left_out(tmp_path: Path) -> None:
    code = "import apex\n"
    names = ("nvidia/a.py", "amd/a.py", "xpu/a.py", "lone/nvidia/a.py", "on_npu.py", "cuda_npu.py")
    make_tree(tmp_path, dict.fromkeys(names, code))
    found = {
        each.file.path: (len(each.findings), each.file.reason, each.error)
        for each in audited(tmp_path)
    }
    assert found == {
        "amd/a.py": (1, "", ""),
        "cuda_npu.py": (1, "", ""),
        "lone/nvidia/a.py": (1, "", ""),
        "nvidia/a.py": (0, "for NVIDIA; the port is in amd", ""),
        "on_npu.py": (0, "for another device: on_npu.py", ""),
        "xpu/a.py": (0, "for another device: xpu", ""),
    }


def test_builds_for_machines_without_a_gpu_are_left_out(tmp_path: Path) -> None:
    recipe = 'cuda_version:\n  - ""\nzip_keys:\n  - [cuda_enabled, cuda_version]\n'
    files = {
        "conda/conda_build_config.cpu.yaml": recipe,
        "conda/conda_build_config.yaml": recipe,
        "conda/cpu_and_cuda.yaml": recipe,
        "docker/Dockerfile.cpu": "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n",
        "docker/Dockerfile": "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n",
        "requirements-cpu.in": "nvidia-ml-py\n",
        "waves/copy_cpu.py": "import pynvml\n",
    }
    make_tree(tmp_path, files)
    found = {
        each.file.path: (len(each.findings) > 0, each.file.reason) for each in audited(tmp_path)
    }
    assert found == {
        "conda/conda_build_config.cpu.yaml": (
            False,
            "for machines without a GPU: conda_build_config.cpu.yaml",
        ),
        "conda/conda_build_config.yaml": (True, ""),
        "conda/cpu_and_cuda.yaml": (True, ""),
        "docker/Dockerfile.cpu": (False, "for machines without a GPU: Dockerfile.cpu"),
        "docker/Dockerfile": (True, ""),
        "requirements-cpu.in": (False, "for machines without a GPU: requirements-cpu.in"),
        "waves/copy_cpu.py": (True, ""),
    }


def test_what_a_folder_for_amd_lacks_is_read(tmp_path: Path) -> None:
    def kernel(name: str) -> str:
        return f"template <int N> __global__ void __launch_bounds__(64) {name}(int *a) {{}}\n"

    code = {
        "cuda/a.cu": "",
        "cuda/b.cu": "",
        "cuda/bind.cpp": "",
        "cuda/merged.cu": kernel("moved"),
        "cuda/other.cu": kernel("lost"),
        "cuda/fast/k.cuh": "",
        "hip/a.hip": kernel("moved"),
        "hip/b.hip": "",
        "hip/fallback.hip": "",
        "hip/bind_hip.cpp": "",
    }
    make_tree(tmp_path, code)
    left_out = {each.file.path for each in audited(tmp_path) if each.file.reason}
    assert left_out == {"cuda/a.cu", "cuda/b.cu", "cuda/bind.cpp", "cuda/merged.cu"}


def test_a_smaller_folder_for_amd_is_a_port_if_half_of_it_is_the_same(tmp_path: Path) -> None:
    same = ("Graph", "Locks", "Team", "Unique", "Space")
    theirs = {f"Cuda/Our_Cuda_{name}.hpp": "" for name in (*same, *"ABCDEFG")}
    ours = {f"HIP/Our_HIP_{name}.hpp": "" for name in (*same, "Half", "Range", "Abort")}
    kernel = {"Cuda/Our_Cuda_Lost.hpp": "__global__ void lost(int *a) {}\n"}
    make_tree(tmp_path, theirs | kernel | ours)
    read = {each.file.path for each in audited(tmp_path) if not each.file.reason}
    assert read == {*ours, *kernel}


def test_a_stub_for_amd_is_no_port(tmp_path: Path) -> None:
    kernels = "__global__ void lost(int *a) {}\n" * 300
    refusal = "inline bool available() { return false; }\n"
    whole = {"whole/cuda/cuda_door.cpp": kernels, "whole/hip/hip_door.cpp": kernels}
    stub = {"stub/cuda/cuda_door.cpp": kernels, "stub/hip/hip_door.hpp": refusal}
    make_tree(tmp_path, whole | stub)
    left_out = {each.file.path for each in audited(tmp_path) if each.file.reason}
    assert left_out == {"whole/cuda/cuda_door.cpp"}


def test_what_a_project_includes_shows_that_it_builds_for_amd(tmp_path: Path) -> None:
    source = "#ifdef KOKKOS_ENABLE_CUDA\ntypedef Kokkos::Cuda Device;\n#endif\n"
    devices = "option(OURS_ENABLE_HIP)\n"
    built = {"cmake": "cmake/devices.cmake", "make": "Makefile.devices"}
    make_tree(tmp_path, {f"{name}/{file}": devices for name, file in built.items()})
    make_tree(tmp_path, {f"{name}/src/a.cpp": source for name in (*built, "neither")})
    found = {each.file.path: [f.code for f in each.findings] for each in audited(tmp_path)}
    for name in built:
        assert "HP-GUARD-008" not in found[f"{name}/src/a.cpp"]
    assert "HP-GUARD-008" in found["neither/src/a.cpp"]


@pytest.mark.parametrize(
    "code",
    [
        "template <int N\n__device__ __constant__ int [N];\n",
        "#include <hip/hip_runtime.h>\n__global__ void k(int *x) {\n  auto mask = ();\n"
        "  *x = __shfl_sync(mask, *x, 0);\n}\n",
        "__global__ void k() { int lanes = warpSize; }\nvoid f() { k<<<1, dim3()>>>(); }\n",
    ],
)
def test_what_people_rarely_write_ends_no_audit(tmp_path: Path, code: str) -> None:
    make_tree(tmp_path, {"a.cu": code})
    assert [each.file.reason for each in audited(tmp_path)] == [""]


def test_a_macro_of_each_vendor_is_no_name_that_cannot_be_seen() -> None:
    code = (
        "#if defined(EX_USES_CUDA)\n#define MY_GPU(a) cuda##a\n"
        "#elif defined(EX_USES_HIP)\n#define MY_GPU(a) hip##a\n#endif\n"
    )
    assert found_in(code, "names.h") == []


def test_functions_of_the_tree_itself_were_not_removed(tmp_path: Path) -> None:
    header = "ROCBLAS_EXPORT rocblas_status rocblas_set_device_memory_size(rocblas_handle handle,\n"
    call = "void f(rocblas_handle h) { rocblas_set_device_memory_size(h, 1); }\n"
    make_tree(tmp_path, {"ours/api.h": header, "ours/test.cpp": call, "theirs/test.cpp": call})
    options = default_options(RULES)
    for folder, codes in (("ours", []), ("theirs", ["HP-HIP-001"])):
        tasks = plan([str(tmp_path / folder)], Wishes(writes=False), print)
        found = [each.code for file in audit(tasks, options) for each in file.findings]
        assert found == codes


def test_what_builds_a_ported_folder_counts_unless_it_is_there_too(tmp_path: Path) -> None:
    names = ("cuda/a.py", "hip/a.py", "cuda/Makefile", "cuda/b.mk", "hip/b.mk")
    make_tree(tmp_path, dict.fromkeys(names, "") | {"cuda/Makefile": "LIBS = -lcudart\n"})
    reasons = {each.file.path: each.file.reason for each in audited(tmp_path)}
    assert reasons == {
        "cuda/a.py": "for NVIDIA; the port is in hip",
        "cuda/b.mk": "for NVIDIA; the port is in hip",
        "cuda/Makefile": "",
        "hip/a.py": "",
        "hip/b.mk": "",
    }
