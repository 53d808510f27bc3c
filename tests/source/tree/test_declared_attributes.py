"""Functions that a header of the tree declares with attributes, defined elsewhere without."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command import hipport, make_tree, read_tree

HEADER = """\
#ifndef A_H
#define A_H
namespace n {
struct S {
  __host__ __device__ int f(int x) const;
  __device__ float g(float);
  __host__ __device__ int over(int);
  int over(float);
  __host__ __device__ void alias(unsigned int);
  __host__ __device__ ~S();
};
__host__ __device__ int both(int a, const float *p);
__device__ int device(int);
}
#endif
"""
DEFINED = """\
#include "include/b.h"
namespace n {
typedef unsigned int u32;
int S::f(int y) const { return y; }
float S::g(float z) { return z; }
int S::over(int i) { return i; }
int S::over(float i) { return 1; }
void S::alias(u32 x) {}
S::~S() {}
int both(int b, const float *q) { return b; }
}
int n::device(int x) { return both(x, 0) ? 1 : 2; }
int both(int b, const float *q) { return n::both(b, q); }
"""
CONVERTED = """\
#include <hip/hip_runtime.h>
#include "include/b.h"
namespace n {
typedef unsigned int u32;
__host__ __device__ int S::f(int y) const { return y; }
__device__ float S::g(float z) { return z; }
__host__ __device__ int S::over(int i) { return i; }
int S::over(float i) { return 1; }
void S::alias(u32 x) {}
__host__ __device__ S::~S() {}
__host__ __device__ int both(int b, const float *q) { return b; }
}
__device__ int n::device(int x) { return both(x, 0) ? 1 : 2; }
int both(int b, const float *q) { return n::both(b, q); }
"""
TREE = {"include/a.h": HEADER, "include/b.h": '#include "a.h"\n'}


def converted(folder: Path, files: dict[str, str]) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """The texts of the converted tree, and the lines and symbols of findings about attributes."""
    make_tree(folder / "in", {**TREE, **files})
    hipport("convert", "in", "-o", "out", "--report", "report.json", cwd=folder)
    found = json.loads((folder / "report.json").read_text("utf-8"))["findings"]
    about = [each for each in found if each["code"] == "HP-SEM-004"]
    return read_tree(folder / "out"), [(each["line"], each["symbol"]) for each in about]


def test_definitions_get_the_attributes_of_a_header(tmp_path: Path) -> None:
    texts, findings = converted(tmp_path, {"a.cu": DEFINED})
    assert texts["a.cu"] == CONVERTED
    # A type of another name may be another type.
    assert findings == [(8, "alias")]
    again = hipport("convert", "out", "-o", "again", cwd=tmp_path)
    assert again.err == "" and read_tree(tmp_path / "again")["a.cu"] == CONVERTED


def test_a_member_of_a_namespace_in_use_may_be_the_one(tmp_path: Path) -> None:
    text = '#include "a.h"\nusing namespace n;\nint S::f(int y) const { return y; }\n'
    texts, findings = converted(tmp_path, {"include/a.cu": text})
    assert texts["include/a.cu"] == text
    assert findings == [(3, "f")]


def test_part_of_the_attributes_is_completed(tmp_path: Path) -> None:
    text = '#include "include/a.h"\n__device__ int n::both(int a, const float *p) { return a; }\n'
    texts, findings = converted(tmp_path, {"a.cu": text})
    assert (
        "\n__host__ __device__ int n::both(int a, const float *p) { return a; }\n" in texts["a.cu"]
    )
    assert findings == []


def test_what_stays(tmp_path: Path) -> None:
    definition = "int n::device(int x) { return x; }\n"
    files = {
        "host.cpp": f'#include "include/a.h"\n{definition}',
        "without_the_header.cu": f"namespace n {{ int device(int); }}\n{definition}",
        "calls.cu": '#include "include/a.h"\nint f() { if (n::both(1, 0)) { } return 0; }\n',
        "other.cu": '#include "include/a.h"\nnamespace m { int device(int x) { return x; } }\n',
    }
    texts, findings = converted(tmp_path, files)
    assert {name: texts[name] for name in files} == files
    assert findings == []


def test_a_header_for_two_compilers_is_left(tmp_path: Path) -> None:
    """Where both exist, the words may not be known to the compiler that reads the other."""
    twice = "#ifdef __CUDACC__\n__host__ __device__ int f(int);\n#else\nint f(int);\n#endif\n"
    definition = '#include "two.h"\ninline int f(int x) { return x; }\n'
    texts, findings = converted(tmp_path, {"two.h": twice, "two.inl.h": definition})
    assert texts["two.inl.h"] == definition
    assert findings == [(2, "f")]


MACROS = "#ifdef __CUDACC__\n#define HD __host__ __device__\n#else\n#define HD\n#endif\n"


def test_a_macro_for_the_attributes_is_written_like_them(tmp_path: Path) -> None:
    header = (
        '#pragma once\n#include "macros.h"\n'
        "template <class T> struct S {\n  HD inline bool test(const T &x) const;\n"
        "  HD void on(int);\n  bool off(int);\n"
        "  HD int &operator()(int x);\n};\nHD int far(int);\n"
    )
    inside = "template <class T>\n{0}bool S<T>::test(const T &x) const {{ return x; }}\n"
    inside += "template <class T> {0}int &S<T>::operator()(int x) {{ return *new int(x); }}\n"
    others = (
        "template <class T> HD void S<T>::on(int) {}\n"
        "template <class T> bool S<T>::off(int) { return 0; }\n"
    )
    definition = '#include "s.h"\n{}int far(int n) {{ return n; }}\n'
    files = {
        "macros.h": MACROS,
        "s.h": header + inside.format("") + others,
        "s.cu": definition.format(""),
        "host.cpp": definition.format(""),
    }
    texts, findings = converted(tmp_path, files)
    assert texts["s.h"] == header + inside.format("HD ") + others
    assert texts["s.cu"].endswith(definition.format("HD "))
    assert texts["host.cpp"] == definition.format("")
    assert findings == []
    again = hipport("convert", "out", "-o", "again", cwd=tmp_path)
    assert again.err == "" and read_tree(tmp_path / "again")["s.h"] == texts["s.h"]


def test_a_macro_for_more_than_attributes_is_not_written(tmp_path: Path) -> None:
    files = {
        "macros.h": "#define INLINE __device__ __forceinline__\n#define HERE __host__\n",
        "s.cu": '#include "macros.h"\nINLINE int f(int);\nint f(int n) { return n; }\n'
        "HERE int g(int);\nint g(int n) { return n; }\n",
    }
    texts, findings = converted(tmp_path, files)
    assert texts["s.cu"] == f"#include <hip/hip_runtime.h>\n{files['s.cu']}"
    assert findings == []
