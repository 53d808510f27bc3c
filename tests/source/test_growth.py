"""Files as machines write them: of twice the length, they take twice the work.

The lines that Python runs are counted, which is the same everywhere, as times are not.
"""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.model import Finding, Records
from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import Choices
from hipport.source.audit.absent_sources import without_absent
from hipport.source.audit.run_audit import audit
from hipport.source.audit.unset_macros import without_unset
from hipport.source.audit.unused_code import without_unused
from hipport.source.buildfiles.build_conversion import convert_build
from hipport.source.buildfiles.build_kinds import build_kind
from hipport.source.buildfiles.makefile import remembered_flags
from hipport.source.buildfiles.makefile_words import runs_of_line
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.languages.python_branches import dead_spans
from hipport.source.names.counterparts import Decisions
from hipport.source.tree.task_list import Wishes, plan
from hipport.source.tree.tree_report import report_of
from tests.support.build_cases import KINDS
from tests.support.command import make_tree
from tests.support.work import lines_run

Counted = Callable[[Callable[[], object]], int]
_MOST = 2.2
_COUNT = 400


_LANES = "int l = threadIdx.x & 31;"

SOURCES: dict[str, Callable[[int], str]] = {
    "conditionals in a row": lambda n: "".join(
        f"#if A{i}\ncudaFree(p);\n#else\nint x{i};\n#endif\n" for i in range(n)
    ),
    "nested conditionals": lambda n: "\n".join(
        (*(f"#if A{i}" for i in range(n)), "cudaFree(p);", *("#endif" for _ in range(n)), "")
    ),
    "conditional operators": lambda n: (
        f"__global__ void k(int *p) {{ {_LANES} p[0] = "
        + "".join(f"l == {i} ? {i} : " for i in range(n))
        + "__shfl_sync(0xffffffff, l, 0); }\n"
    ),
    "nested calls": lambda n: (
        f"__global__ void k(int *p) {{ {_LANES} p[0] = "
        + "__shfl_sync(0xffffffff, " * (3 * n)
        + "l"
        + ", 0)" * (3 * n)
        + "; }\n"
    ),
    "ballots in one function": lambda n: (
        f"__global__ void k(unsigned *p) {{ unsigned m; {_LANES}\n"
        + "".join(
            f"m = __ballot_sync(0xffffffffu, l < {i}); p[{i}] = __popc(m & ((1u << l) - 1));\n"
            for i in range(n)
        )
        + "}\n"
    ),
    "assembly in one function": lambda n: (
        "__global__ void k(int *p) { int x;\n"
        + "".join(
            f'asm volatile("mov.u32 %0, %laneid;" : "=r"(x)); p[{i}] = x;\n' for i in range(n)
        )
        + "}\n"
    ),
    "overloads that take vectors of a grid": lambda n: (
        "".join(f"void take(uint3 v{i}, T{i} t);\n" for i in range(n))
        + "void k(uint3 v) {\n"
        + "".join(f"take(v, {i});\n" for i in range(n))
        + "}\n"
    ),
    "suppression comments": lambda n: "".join(
        f'asm("mov.u32 %0, %clock;" : "=r"(x{i}));  // hipport: ignore HP-ASM-001\n'
        for i in range(n)
    ),
    "launches": lambda n: "".join(
        f"__global__ void k{i}(int *p) {{ p[0] = warpSize; }}\n"
        f"void f{i}(int *p) {{ k{i}<<<1, 32>>>(p); cudaDeviceSynchronize(); }}\n"
        for i in range(n)
    ),
    "locks": lambda n: "".join(
        f"__device__ void take{i}(int *l) {{ while (atomicCAS(l, 0, 1) != 0); }}\n"
        for i in range(n)
    ),
    "locks of one kernel": lambda n: (
        "__device__ int l;\n__global__ void k(int *p) {\n"
        + "if (p[0] > 0) return;\nwhile (atomicCAS(&l, 0, 1) != 0);\n" * n
        + "}\n"
    ),
    "names in one expression": lambda n: "int x = " + " + ".join(["warpSize"] * n) + ";\n",
    "kernels with parameters of one name": lambda n: "".join(
        f"__global__ void k{i}(int *p) {{ p[0] = __shfl_down_sync(0xffffffff, p[1], {i % 16});"
        " p[1] = __ballot_sync(~0u, p[2]); }\n"
        for i in range(n)
    ),
    "members with a name of CUDA's": lambda n: "".join(
        f"struct S{i} {{ void cudaFree(); void f() {{ cudaFree(); }} }};\n" for i in range(n)
    ),
    "messages through the host": lambda n: (
        "void f() {\n"
        + "".join(
            f"cudaMemcpy(a{i}, b, n, cudaMemcpyDeviceToHost); MPI_Send(a{i}, n, t, 0, 0, c);\n"
            for i in range(n)
        )
        + "}\n"
    ),
    "kernels for HIP with a mask of all lanes": lambda n: (
        "#include <hip/hip_runtime.h>\n"
        + "".join(
            f"__global__ void k{i}(int *x) {{ x[0] = __shfl_sync(~0ull, x[0], 0); }}\n"
            f"void f{i}(int *x) {{ k{i}<<<1, 96>>>(x); }}\n"
            for i in range(n)
        )
    ),
    "arithmetic on pointers of one name": lambda n: "".join(
        f"void f{i}(CUdeviceptr p, size_t n) {{ p = n + {i}; }}\n" for i in range(n)
    ),
    "parameters in declarators of declarators": lambda n: "void f" + "(int texture)" * n + ";\n",
    "branches that HIP leaves out": lambda n: "".join(
        f"__device__ void f{i}(int *a, int *b) {{\n#if __CUDA_ARCH__ > 900\na;\n#elif __CUDA_ARCH__"
        ' >= 800\nasm("mov.b32 %0, %1;" : "=r"(*a) : "r"(*b));\n#else\n*a = *b;\n#endif\n}\n'
        for i in range(n)
    ),
    "kernels in strings": lambda n: (
        "void f(nvrtcProgram *p) {\n"
        + "".join(
            f'nvrtcCreateProgram(p, R"(__global__ void k{i}(int *x) {{ __trap(); }})", 0, 0);\n'
            for i in range(n)
        )
        + "}\n"
    ),
    "numbers that are told": lambda n: (
        "void f(T *d) {\ncudaDeviceProp prop;\n"
        + 'd->n = prop.multiProcessorCount;\nprintf("%d", d->n);\n' * n
        + "}\n"
    ),
    "constants of constants": lambda n: (
        "constexpr int c0 = 1;\n"
        + "".join(f"constexpr int c{i + 1} = c{i} + c{i // 2};\n" for i in range(n))
        + "void f() { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize,"
        f" c{n}); }}\n"
    ),
    "macros": lambda n: (
        "".join(f"#define M{i + 1} M{i} + 32\n" for i in range(n))
        + f"__global__ void k(int *p) {{ p[0] = threadIdx.x % M{n}; }}\n"
    ),
    "sizes of shared memory": lambda n: (
        "".join(f"constexpr int kSmemBytes{i} = {i} * 1024;\n" for i in range(n))
        + "".join(
            f"__global__ void k{i}() {{ extern __shared__ char s{i}[]; s{i} + 98304; }}\n"
            for i in range(n)
        )
    ),
}


def not_counted(work: Callable[[], object]) -> int:
    """A run that only makes ready: to count its lines takes several times as long."""
    work()
    return 0


@pytest.mark.slow
@pytest.mark.parametrize("is_audit", (False, True), ids=("convert", "audit"))
@pytest.mark.parametrize("shape", SOURCES)
def test_a_source_twice_as_long_takes_twice_the_work(shape: str, is_audit: bool) -> None:
    decisions = Decisions(load(is_audit=is_audit), default_options(load()))
    runs = itertools.count()

    def work(count: int, counted: Counted = lines_run) -> int:
        # No text is the same: what is remembered of one takes no work in the next.
        start = f"#include <cuda_runtime.h>  // {next(runs)}\n"
        data = (start + SOURCES[shape](count)).encode()
        return counted(lambda: convert_source(data, "a.cu", "cuda", decisions))

    work(2 * _COUNT, not_counted)  # Loads what the shape needs, and judges its names.
    # Expressions that other tests have put out of Python's cache are compiled anew once.
    assert any(work(2 * _COUNT) < _MOST * work(_COUNT) for _ in range(2))


BUILD_FILES: dict[str, tuple[str, Callable[[int], str]]] = {
    "flags in setup.py": (
        "setup.py",
        lambda n: (
            "from torch.utils.cpp_extension import CUDAExtension\n"
            'CUDAExtension("a", ["a.cu"], extra_compile_args={"nvcc": ['
            + ", ".join(f'"-DX{i}", "--use_fast_math"' for i in range(n))
            + "]})\n"
        ),
    ),
    "targets in CMake": (
        "CMakeLists.txt",
        lambda n: (
            "project(a LANGUAGES CXX CUDA)\n"
            + "".join(
                f"add_library(l{i} a{i}.cu)\ntarget_link_libraries(l{i} CUDA::cudart)\n"
                for i in range(n)
            )
        ),
    ),
    "rules in a makefile": (
        "Makefile",
        lambda n: "".join(f"a{i}.o: a{i}.cu\n\tnvcc -arch=sm_80 -c a{i}.cu\n" for i in range(n)),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", BUILD_FILES)
def test_a_build_file_twice_as_long_takes_twice_the_work(shape: str) -> None:
    name, text = BUILD_FILES[shape]
    kind, runs = build_kind(name, KINDS), itertools.count()

    def work(count: int, counted: Counted = lines_run) -> int:
        data = f"{text(count)}# {next(runs)}\n".encode()
        # What is remembered of the last text takes no work in this one.
        runs_of_line.cache_clear()
        remembered_flags.cache_clear()
        return counted(lambda: convert_build(data, name, kind, load(), Choices()))

    work(_COUNT, not_counted)
    assert work(2 * _COUNT) < _MOST * work(_COUNT)


CHAINS: dict[str, Callable[[int], str]] = {
    "functions that call each other": lambda n: (
        "static __device__ void f0(float* p) { atomicAdd(p, 1.5f); }\n"
        + "".join(
            f"static __device__ void f{i}(float* p) {{ atomicAdd(p, 1.5f); f{i - 1}(p); }}\n"
            for i in range(1, n)
        )
        + f'extern "C" __global__ void k(float* p) {{ f{n - 1}(p); }}\n'
    ),
    "constants of one name": lambda n: "constexpr int W = 32;  // warp size\n" * n,
    "code behind macros that nothing sets": lambda n: "".join(
        f"#ifdef OURS_{i}\n__global__ void k{i}(float* p) {{ atomicAdd(p, 1.5f); }}\n#endif\n"
        for i in range(n)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("look", (without_unused, without_unset))
@pytest.mark.parametrize("shape", CHAINS)
def test_a_look_for_unused_code_of_twice_the_length(
    shape: str, look: Callable[..., "Records[Finding]"], tmp_path: Path
) -> None:
    rules = load(is_audit=True)

    def work(count: int) -> int:
        folder = tmp_path / str(count)
        make_tree(folder, {"setup.py": "import setuptools\n", "a.cu": CHAINS[shape](count)})
        tasks = plan([str(folder)], Wishes(writes=False), lambda _: None)
        found = report_of(audit(tasks, default_options(rules))).findings
        return lines_run(lambda: look(found, tasks, {folder.as_posix()}, rules))

    work(_COUNT // 2)  # Loads what the shape needs.
    assert work(2 * _COUNT) < _MOST * work(_COUNT)


@pytest.mark.slow
def test_private_functions_of_python_that_dead_code_calls() -> None:
    rules = load(is_audit=True)

    def work(count: int) -> int:
        calls = "".join(f"    _f{i}()\n" for i in range(count))
        functions = "".join(f"def _f{i}():\n    pass\n" for i in range(count))
        data = f"import torch\nif torch.version.cuda:\n{calls}{functions}".encode()
        words = rules.branches.python, rules.file_kinds.port_parts
        return lines_run(lambda: dead_spans(data, *words))

    work(_COUNT)
    assert work(2 * _COUNT) < _MOST * work(_COUNT)


@pytest.mark.slow
def test_sources_that_a_tree_does_not_have(tmp_path: Path) -> None:
    rules = load(is_audit=True)

    def work(count: int) -> int:
        folder = tmp_path / str(count)
        lists = "".join(f"add_library(l{i} no{i}.cu)\n" for i in range(count))
        files = {f"a{i}.cpp": "" for i in range(count)}
        make_tree(folder, {"setup.py": "import setuptools\n", "CMakeLists.txt": lists, **files})
        tasks = plan([str(folder)], Wishes(writes=False), lambda _: None)
        found = report_of(audit(tasks, default_options(rules))).findings
        return lines_run(lambda: without_absent(found, tasks, {folder.as_posix()}, rules))

    work(_COUNT // 2)
    assert work(2 * _COUNT) < _MOST * work(_COUNT)
