"""A name of which a macro makes others stays, and is told: renamed alone it would not fit them."""

from __future__ import annotations

import pytest

from tests.support.converting import convert

LOAD = """\
#include <cuda.h>
#define LOAD(to, name) (to)->fn_##name = (PFN_##name) dlsym(library, #name)
void load(struct driver *d)
{
    LOAD(d, cuCtxGetDevice);
    d->fn_cuCtxGetDevice(&d->device);
}
"""
LIST = """\
#include <cuda.h>
#define FUNCTIONS(X) \\
    X(cuInit)        \\
    X(cuLaunchKernel)
struct Driver {
#define MEMBER(name) decltype(&::name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
};
inline int init(const Driver &driver) { return driver.cuInit(0); }
"""
CASES = """\
#include <cuda_runtime.h>
#define CASE(error) case error: return #error;
#define ERRORS(X) X(cudaErrorInvalidValue) X(cudaErrorUnknown)
const char *name(cudaError_t error)
{
    switch (error) { CASE(cudaSuccess) ERRORS(CASE) default: return ""; }
}
"""
TABLE = """\
#include <dlfcn.h>
#include <cuda.h>
struct Driver { CUresult (*cuInit)(unsigned); };
static Driver driver;
#define BIND(field, name) driver.field = (decltype(driver.field)) dlsym(library, name)
void load(void *library)
{
    BIND(cuInit, "cuInit");
    driver.cuInit(0);
}
"""


@pytest.mark.parametrize(
    "text",
    [TABLE, TABLE.replace("driver.field", "(&driver)->field").replace("BIND(cu", "BIND(\n  cu")],
    ids=["by a dot", "by an arrow"],
)
def test_what_a_macro_takes_as_a_member_stays_as_the_member_does(text: str) -> None:
    result = convert("driver.cpp", text.encode())
    assert b"hipInit" not in result.output
    codes = {each.code for each in result.findings}
    assert "HP-PROP-004" in codes
    assert "HP-PASTE-002" not in codes


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("load.c", LOAD, ["cuCtxGetDevice"]),
        ("driver.h", LIST, ["cuInit", "cuLaunchKernel"]),
        ("pasted.cu", LOAD.replace("(d, cuCtxGetDevice)", "(d,\n         cuCtxGetDevice )"),
         ["cuCtxGetDevice"]),
        ("looked_up.c", LOAD.replace("d->fn_cuCtxGetDevice(&d->device);", "f(d);"),
         ["cuCtxGetDevice"]),
        ("text.cpp", TABLE.replace("field, name)", "field)").replace(", name)", ", #field)")
         .replace(", \"cuInit\"", ""), ["cuInit"]),
    ],
    ids=["pasted", "listed", "over two lines", "called by other files", "looked up by the member"],
)  # fmt: skip
def test_the_name_stays(path: str, text: str, names: list[str]) -> None:
    result = convert(path, text.encode())
    told = [each.symbol for each in result.findings if each.code == "HP-PASTE-002"]
    assert told == names
    assert all(f"{name}" in result.output.decode() for name in names)
    assert b"hipCtxGetDevice" not in result.output
    assert b"hipInit" not in result.output


@pytest.mark.parametrize(
    ("text", "new"),
    [
        (CASES, "CASE(hipSuccess) ERRORS(CASE)"),
        (CASES, "X(hipErrorInvalidValue) X(hipErrorUnknown)"),
        (LOAD.replace("d->fn_cuCtxGetDevice(&d->device);", "f(d);").replace("#name", "at"),
         "LOAD(d, hipCtxGetDevice);"),
        ("#include <cuda_runtime.h>\n#define CHECK(call) check(call, #call)\n"
         "void f(void *p) { CHECK(cudaFree(p)); }\n", "CHECK(hipFree(p));"),
        ("#include <cuda_runtime.h>\n#define FREE(each, free) free((each).pointer)\n"
         "void f(Buffer b) { FREE(b, cudaFree); }\n", "FREE(b, hipFree);"),
        ("#include <cuda_runtime.h>\n#define USE(name, type) type name##_of_ours\n"
         "USE(x, cudaStream_t);\n", "USE(x, hipStream_t);"),
    ],
    ids=["a case", "a list of values", "no such name", "a call", "a function", "another argument"],
)  # fmt: skip
def test_any_other_name_is_renamed(text: str, new: str) -> None:
    result = convert("a.cu", text.encode())
    assert new in result.output.decode()
    assert "HP-PASTE-002" not in {each.code for each in result.findings}
