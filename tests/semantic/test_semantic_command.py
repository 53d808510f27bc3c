"""`hipport convert --semantic` as a user runs it, against a CUDA of a few declarations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import Ran, hipport, make_tree

pytestmark = pytest.mark.toolchain

CUDA = """
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  __attribute__((host, device)) constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
      : x(a), y(b), z(c) {}
};
enum cudaError { cudaSuccess };
typedef enum cudaError cudaError_t;
extern "C" cudaError_t cudaMalloc(void **, unsigned long);
extern "C" cudaError_t cudaFree(void *);
template <class T> cudaError_t cudaMalloc(T **, unsigned long);
#define cudaDeviceReset cudaDeviceReset_v2
extern "C" cudaError_t cudaDeviceReset();
#define cudaCpuDeviceId ((int)-1)
extern "C" __attribute__((device)) int __ffsll(long long);
"""
HEAD = "#include <hip/hip_runtime.h>\n"


def convert(folder: Path, files: dict[str, str], *arguments: str) -> Ran:
    """Convert `src` of a folder that has those files and the small CUDA."""
    make_tree(folder, {"cuda/include/cuda_runtime.h": CUDA, **files})
    words = ("--semantic", "--cuda-path", "src/../cuda", "--jobs", "1", "--report", "r.json", "src")
    return hipport("convert", *arguments, *words, cwd=folder)


def result(folder: Path, name: str) -> str:
    return (folder / "src_hip" / name).read_text("utf-8").removeprefix(HEAD)


def findings(folder: Path) -> list[tuple[str, str, int, str]]:
    report = json.loads((folder / "r.json").read_text("utf-8"))
    return [
        (each["code"], each["path"], each["line"], each["message"]) for each in report["findings"]
    ]


def test_whose_names_are(tmp_path: Path) -> None:
    own = "namespace mine { int cudaFree(void *); }\ntemplate <class T> int cudaFree(T **, int);\n"
    use = (
        '#include "own.h"\n'
        "namespace wrap { using ::cudaMalloc; }\n"
        "struct Base { void cudaDeviceReset(); };\n"
        "struct Derived : Base { void f() { cudaDeviceReset(); ::cudaDeviceReset(); } };\n"
        "int f(float *p) {\n"
        "  wrap::cudaMalloc(&p, 4);\n"
        "  cudaFree(&p, 1);\n"
        "  { using mine::cudaFree; cudaFree((float *)p); }\n"
        "  return cudaFree(p);\n"
        "}\n"
    )
    ran = convert(tmp_path, {"src/own.h": own, "src/use.cu": use})
    assert (ran.code, ran.err) == (0, "")
    assert result(tmp_path, "own.h") == own
    assert result(tmp_path, "use.cu") == use.replace("::cudaMalloc", "::hipMalloc").replace(
        "return cudaFree", "return hipFree"
    ).replace("::cudaDeviceReset", "::hipDeviceReset")
    left = "is declared here, where the name stays as it is; "
    left += "uses that do not see this declaration get HIP's name"
    assert findings(tmp_path) == [
        ("HP-API-008", "own.h", 1, f"`cudaFree` {left}"),
        ("HP-API-008", "own.h", 2, f"`cudaFree` {left}"),
        ("HP-API-008", "use.cu", 3, f"`cudaDeviceReset` {left}"),
        (
            "HP-SEM-002",
            "use.cu",
            7,
            "`cudaFree` is the project's own, declared at own.h:2, so it was left as it is",
        ),
    ]


def test_without_it_syntax_errs_there(tmp_path: Path) -> None:
    make_tree(
        tmp_path,
        {
            "src/own.h": "template <class T> int cudaFree(T **, int);\n",
            "src/use.cu": '#include "own.h"\nint f(int *p) { return cudaFree(&p, 1); }\n',
        },
    )
    assert hipport("convert", "src", cwd=tmp_path).code == 0
    assert "return hipFree(&p, 1)" in result(tmp_path, "use.cu")


def test_names_declared_in_the_same_file(tmp_path: Path) -> None:
    text = (
        "namespace pool { cudaError_t cudaFree(int); }\n"
        "cudaError_t cudaMalloc(void **p, unsigned long n) { return cudaSuccess; }\n"
        "template <class T> int cudaFree(T **, int);\n"
        "void f(int *p) { cudaFree(p); cudaFree(&p, 1); pool::cudaFree(3); }\n"
    )
    convert(tmp_path, {"src/a.cu": text})
    assert result(tmp_path, "a.cu") == (
        "namespace pool { hipError_t cudaFree(int); }\n"
        "hipError_t hipMalloc(void **p, unsigned long n) { return hipSuccess; }\n"
        "template <class T> int cudaFree(T **, int);\n"
        "void f(int *p) { hipFree(p); cudaFree(&p, 1); pool::cudaFree(3); }\n"
    )


def test_types_of_variables_behind_aliases(tmp_path: Path) -> None:
    """HIP overloads __ffsll: a cast is needed but for what is certainly a long long."""
    own = "#pragma once\ntypedef long long bits;\nusing handle = unsigned long;\n"
    use = (
        '#include "own.h"\n'
        "struct Sets { const bits one; handle two; };\n"
        "__global__ void k(bits all, handle some, Sets s) {\n"
        "  __ffsll(all), __ffsll(some), __ffsll(s.one);\n"
        "}\n"
        "void f(int *p) { cudaFree(p); }\n"
    )
    cast = use.replace("cudaFree", "hipFree").replace("(some)", "(static_cast<long long>(some))")
    convert(tmp_path, {"src/own.h": own, "src/use.cu": use})
    assert result(tmp_path, "use.cu") == cast.replace(
        "__ffsll(s.one)", "__ffsll(static_cast<long long>(s.one))"
    )
    assert hipport("convert", "src", "-o", "syntax", cwd=tmp_path).code == 0
    plain = (tmp_path / "syntax/use.cu").read_text("utf-8")
    assert "__ffsll(static_cast<long long>(all))" in plain


def test_names_in_macros(tmp_path: Path) -> None:
    header = (
        "#pragma once\n"
        "#define FREE(p) cudaFree(p, 1)\n"
        "#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) throw e; } while (0)\n"
        "#define TWICE(x) CHECK(x)\n"
        "template <class T> int cudaFree(T *, int);\n"
    )
    use = (
        '#include "macros.h"\n'
        "__global__ void k(int *p) {}\n"
        "#define LAUNCH(p) (k<<<1, 1>>>(p), cudaDeviceReset())\n"
        "void f(int *p) {\n  FREE(p);\n  TWICE(cudaMalloc(&p, 4));\n  CHECK(LAUNCH(p));\n}\n"
    )
    convert(tmp_path, {"src/macros.h": header, "src/use.cu": use})
    assert "#define FREE(p) cudaFree(p, 1)\n#define CHECK(x) do { hipError_t e" in result(
        tmp_path, "macros.h"
    )
    assert "TWICE(hipMalloc(&p, 4));" in result(tmp_path, "use.cu")
    assert "hipDeviceReset())" in result(tmp_path, "use.cu")


def test_evidence_of_each_edit(tmp_path: Path) -> None:
    text = (
        "void f(int *p, int i = cudaCpuDeviceId) { cudaFree(p); }\n"
        "#ifdef NEVER\nint i = cudaFree(0);\n#endif\n"
    )
    convert(tmp_path, {"src/a.cu": text}, "--explain", "--check")
    edits = json.loads((tmp_path / "r.json").read_text("utf-8"))["edits"]
    assert [(each["new"], each["evidence"]) for each in edits if each["old"]] == [
        ("hipCpuDeviceId", "semantic"),
        ("hipFree", "semantic"),
        ("hipFree", "syntax"),
    ]


def test_defines_folders_and_standard(tmp_path: Path) -> None:
    files = {
        "src/a.cu": "#include <far.h>\n#if MODE == 2 && __cplusplus > 201703L\nusing namespace far;"
        "\n#endif\nint i = cudaFree(0);\n",
        "elsewhere/far.h": "namespace far { int cudaFree(int); }\n",
    }
    convert(tmp_path, files, "-I", "elsewhere", "-D", "MODE=2", "--std", "c++20")
    assert "int i = cudaFree(0);" in result(tmp_path, "a.cu")
    convert(tmp_path, files, "-I", "elsewhere", "-D", "MODE=1", "--std", "c++20", "--force")
    assert "int i = hipFree(0);" in result(tmp_path, "a.cu")


def test_a_compilation_database(tmp_path: Path) -> None:
    files = {
        "src/a.cu": '#include "far.h"\n#ifdef MODE\nusing namespace far;\n#endif\n'
        "int i = cudaFree(0);\n",
        "elsewhere/far.h": "namespace far { int cudaFree(int); }\n",
    }
    command = (
        f"nvcc -arch=sm_80 -I{tmp_path}/elsewhere -DMODE --use_fast_math -c {tmp_path}/src/a.cu"
    )
    row = {"directory": str(tmp_path), "file": "src/a.cu", "command": command}
    files["out/compile_commands.json"] = json.dumps([row])
    convert(tmp_path, files, "-p", "out")
    assert "int i = cudaFree(0);" in result(tmp_path, "a.cu")


def test_errors_leave_only_what_is_certain(tmp_path: Path) -> None:
    """With a type unknown, an overload is chosen that the whole program would not choose."""
    text = (
        '#include "missing.h"\n'
        "int cudaFree(Unknown *p);\n"
        "void f(Unknown *p, int **q) { cudaFree(p); cudaMalloc(q, 4); }\n"
    )
    assert convert(tmp_path, {"src/a.cu": text}).code == 0
    assert result(tmp_path, "a.cu") == text.replace("cudaMalloc", "hipMalloc")
    code, path, line, message = findings(tmp_path)[0]
    assert (code, path, line) == ("HP-SEM-001", "a.cu", 1)
    assert message.endswith("syntax decided where it could not: a.cu:1: 'missing.h' file not found")


def test_an_error_makes_no_declaration(tmp_path: Path) -> None:
    """Clang takes an argument of a function it does not know for the name of a function."""
    text = (
        '#include "missing.h"\n'
        "namespace far {}\n"
        "void f() { far::check(cudaDeviceReset()); }\n"
        "template <class T> struct V { void f() { far::check(cudaDeviceReset()); } };\n"
    )
    convert(tmp_path, {"src/a.cu": text})
    assert result(tmp_path, "a.cu") == text.replace("cudaDeviceReset", "hipDeviceReset")
    assert [each[0] for each in findings(tmp_path)] == ["HP-SEM-001"]


def test_device_code_is_no_error_of_the_host(tmp_path: Path) -> None:
    text = "__device__ float d(float x) { return rsqrtf(x) + unknown(x); }\nint i = cudaFree(0);\n"
    convert(tmp_path, {"src/a.cu": text})
    assert findings(tmp_path) == []


def test_a_wrong_place_for_cuda(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": "int i = cudaFree(0);\n"})
    ran = hipport("convert", "--semantic", "--cuda-path", "nowhere", "src", cwd=tmp_path)
    assert ran.code == 2
    assert ran.err == "hipport: nowhere: no include/cuda_runtime.h there (check --cuda-path)\n"


def test_what_clang_gives_up_on_has_no_evidence(tmp_path: Path) -> None:
    """Nested too deeply for clang."""
    deep = "int i = " + "(" * 300_000 + "1" + ")" * 300_000 + ";\nint j = cudaFree(0);\n"
    convert(tmp_path, {"src/a.cu": deep, "src/b.cu": "int j = cudaFree(0);\n"})
    assert "int j = hipFree(0);" in result(tmp_path, "a.cu")
    assert [each[:2] for each in findings(tmp_path)] == [("HP-SEM-001", "a.cu")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-DX", "src"), "-p, -I, -D and --std are for --semantic and --verify (add one)"),
        (("--cuda-path", "x", "src"), "--cuda-path is for --semantic (add it)"),
        (("--semantic", "-"), "--semantic reads the files beside a source (name the file)"),
    ],
)
def test_wrong_use(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    make_tree(tmp_path, {"src/a.cu": ""})
    ran = hipport("convert", *arguments, cwd=tmp_path)
    assert (ran.code, ran.err) == (2, f"hipport: {message}\n")


def test_headers_of_the_tree_are_found_through_any_other(tmp_path: Path) -> None:
    files = {
        "src/include/deep/middle.h": '#include "last.h"\n',
        "src/include/deep/last.h": "namespace far { int cudaFree(int); }\n",
        "src/code/a.cu": '#include "deep/middle.h"\nusing far::cudaFree;\nint i = cudaFree(0);\n',
    }
    convert(tmp_path, files)
    assert result(tmp_path, "code/a.cu").endswith("using far::cudaFree;\nint i = cudaFree(0);\n")
