"""Function rules against the declarations of both vendors."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.verification.declarations import Declarations, Function, Type
from hipport.verification.signatures import SERIOUS, Verified, is_told, verify_rules
from tests.support.command import hipport, make_tree
from tests.support.fetch import fetch
from tests.support.remote_headers import headers, pins
from tests.verification.test_verify_triton import WHEEL

INT, LONG = Type("int", "int", "integer"), Type("size_t", "unsigned long", "integer")
STATUS = {
    "cuda": Type("cudaError_t", "cudaError", "enum"),
    "hip": Type("hipError_t", "hipError_t", "enum"),
}


def pointer(written: str, canonical: str = "") -> Type:
    return Type(written, canonical or written, "pointer")


def verdict(cuda: list[Type], hip: list[Type], needed: int | None = None) -> tuple[str, str]:
    """What is said of cudaMalloc with those parameters."""
    theirs, ours = Declarations("13.5"), Declarations("7.2")
    theirs.functions["cudaMalloc"] = [Function(STATUS["cuda"], tuple(cuda), len(cuda))]
    count = len(hip) if needed is None else needed
    ours.functions["hipMalloc"] = [Function(STATUS["hip"], tuple(hip), count)]
    ours.typedefs["hipDeviceptr_t"] = "void *"
    ours.aliases["hipDeviceProp_t"] = "hipDeviceProp_tR0600"
    row = next(row for row in verify_rules(load(), theirs, ours) if row.cuda == "cudaMalloc")
    assert row.hip == "hipMalloc"
    assert row[4:] == ("13.5", "7.2")
    return row.verdict, row.detail


PROPERTIES = pointer("struct cudaDeviceProp *", "cudaDeviceProp *")


@pytest.mark.parametrize(
    ("cuda", "hip", "expected"),
    [
        ([INT], [INT], ("same", "")),
        ([pointer("cudaStream_t")], [pointer("hipStream_t")], ("same", "")),
        ([pointer("CUdeviceptr *")], [pointer("void **")], ("same", "")),
        ([PROPERTIES], [pointer("hipDeviceProp_tR0600 *")], ("same", "")),
        ([pointer("const int *const")], [pointer("const int*")], ("same", "")),
        ([pointer("int [3]")], [pointer("int *")], ("same", "")),
        (
            [pointer("const int *")],
            [pointer("int *")],
            ("const", "argument 1: const int *, in HIP int *"),
        ),
        ([INT], [LONG], ("conversion", "argument 1: int, in HIP size_t")),
        (
            [pointer("float *")],
            [pointer("void *")],
            ("conversion", "argument 1: float *, in HIP void *"),
        ),
        (
            [INT, pointer("float **")],
            [INT, pointer("void **")],
            ("type", "argument 2: float **, in HIP void **"),
        ),
        ([INT], [STATUS["hip"]], ("type", "argument 1: int, in HIP hipError_t")),
        ([STATUS["cuda"]], [INT], ("conversion", "argument 1: cudaError_t, in HIP int")),
        ([INT, INT], [INT], ("arity", "2 arguments, in HIP 1")),
    ],
)
def test_two_functions(cuda: list[Type], hip: list[Type], expected: tuple[str, str]) -> None:
    assert verdict(cuda, hip) == expected


def test_defaults_may_be_left_out() -> None:
    assert verdict([INT], [INT, INT], needed=1) == ("same", "")
    assert verdict([], [INT, INT], needed=1) == ("arity", "0 arguments, in HIP 1 to 2")


def overloaded(theirs: list[Function], ours: list[Function]) -> tuple[str, str]:
    one, two = Declarations("13.5", {"cudaMalloc": theirs}), Declarations("7.2")
    two.functions["hipMalloc"] = ours
    row = next(row for row in verify_rules(load(), one, two) if row.cuda == "cudaMalloc")
    return row.verdict, row.detail


def function(*parameters: Type, vendor: str, templates: int = 0, more: bool = False) -> Function:
    return Function(STATUS[vendor], parameters, len(parameters), more, templates)


def test_each_overload_needs_one() -> None:
    theirs = [function(INT, vendor="cuda"), function(INT, INT, vendor="cuda")]
    ours = [function(INT, vendor="hip")]
    assert overloaded(theirs, ours) == ("arity", "2 arguments, in HIP 1")
    assert overloaded(theirs, [*ours, function(INT, INT, vendor="hip")]) == ("same", "")


def test_templates_by_the_number_of_their_arguments() -> None:
    plain = {each: function(INT, vendor=each) for each in STATUS}
    template = function(pointer("T *"), INT, vendor="cuda", templates=1)
    theirs = [plain["cuda"], template]
    lacking = ("template", "a template of 2 arguments, in HIP 1")
    assert overloaded(theirs, [plain["hip"]]) == lacking
    for ours in (
        function(pointer("U *"), INT, vendor="hip", templates=1),
        function(INT, vendor="hip", templates=2, more=True),
        function(pointer("void *"), INT, vendor="hip"),
    ):
        assert overloaded(theirs, [plain["hip"], ours]) == ("same", "")
    # A template in HIP serves for a function of CUDA's.
    other = function(INT, vendor="hip", templates=1)
    assert overloaded([plain["cuda"]], [other]) == ("same", "")
    assert overloaded([function(vendor="cuda")], [other])[1] == (
        "a function of 0 arguments, in HIP 1"
    )


def test_what_is_not_declared_and_what_is_something_else() -> None:
    theirs, ours = Declarations("13.5"), Declarations("7.2", others={"hipFree": "type"})
    ours.functions["hipMalloc"] = [Function(STATUS["hip"], (), 0)]
    rows = {row.cuda: row for row in verify_rules(load(), theirs, ours)}
    assert rows["cudaMalloc"].verdict == "no cuda"
    assert rows["cudaMallocHost"].verdict == "no hip"
    assert rows["cudaFree"][2:4] == ("no function", "type")


def test_the_table_in_the_rulebook() -> None:
    """Sorted, about functions that rules map so, and nothing serious goes unsaid."""
    rules: RuleSet = load()
    rows = [Verified(*row) for row in rules.table("verified.tsv")]
    assert rows == sorted(rows, key=lambda row: row[:2])
    assert len(rows) > 2500
    mapped = {(rule.cuda, rule.hip) for rule in rules.every_api() if rule.kind == "function"}
    assert [row[:2] for row in rows if row[:2] not in mapped] == []
    assert [r.cuda for r in rows if r.verdict in SERIOUS and not is_told(rules, r.cuda)] == []


CUDA_H = """
typedef enum { cudaSuccess } cudaError_t;
struct CUstream_st;
typedef struct CUstream_st *cudaStream_t;
extern "C" cudaError_t cudaFree(void *p);
extern "C" cudaError_t cudaMalloc_v2(void **p, unsigned long n);
#define cudaMalloc cudaMalloc_v2
extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t s);
template <class T> cudaError_t cudaMallocManaged(T **p, unsigned long n, unsigned flags = 1);
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *a, int *b, T f, int c);
"""
HIP_H = """
typedef enum { hipSuccess } hipError_t;
typedef struct ihipStream_t *hipStream_t;
extern "C" hipError_t hipFree(void *p, int flags = 0);
extern "C" hipError_t hipMalloc(void **p, unsigned long n);
extern "C" hipError_t hipStreamSynchronize(hipStream_t *s);
template <class T> hipError_t hipMallocManaged(T **p, unsigned long n, unsigned flags = 1);
template <class T, class... A> hipError_t hipOccupancyMaxPotentialBlockSize(A... a);
"""
VERSION = "#define HIP_VERSION_MAJOR 5\n#define HIP_VERSION_MINOR 2\n"


@pytest.mark.toolchain
def test_the_command(tmp_path: Path) -> None:
    make_tree(
        tmp_path,
        {
            "cuda/cuda_runtime_api.h": CUDA_H,
            "cuda/cuda.h": "#define CUDA_VERSION 13050\n",
            "hip/hip/hip_runtime_api.h": HIP_H,
            "hip/hip/hip_version.h": VERSION,
        },
    )
    command = ["rules", "verify", "--cuda-headers", "cuda", "--hip-headers", "hip", "-o", "t.tsv"]
    ran = hipport(*command, cwd=tmp_path)
    assert ran.out == (
        "cudaStreamSynchronize  hipStreamSynchronize  type  argument 1: cudaStream_t,"
        " in HIP hipStream_t *  NOT REPORTED\n"
    )
    assert ", CUDA 13.5, HIP 5.2: " in ran.err
    assert ran.err.endswith("4 same, 1 type; 1 not reported\n")
    assert ran.code == 1
    rows = (tmp_path / "t.tsv").read_text("utf-8").splitlines()
    assert rows[0] == "cuda\thip\tverdict\tdetail\tcuda_version\thip_version"
    assert "cudaFree\thipFree\tsame\t\t13.5\t5.2" in rows
    assert "cudaMalloc\thipMalloc\tsame\t\t13.5\t5.2" in rows


@pytest.mark.real
@pytest.mark.toolchain
def test_the_newest_headers_of_the_index(tmp_path: Path) -> None:
    """Every mapping of the runtime's names compiles, or each use is reported."""
    with zipfile.ZipFile(fetch(*WHEEL)) as wheel:
        wanted = [name for name in wheel.namelist() if name.startswith("triton/backends/amd/inc")]
        wheel.extractall(tmp_path, wanted)
    command = ["rules", "verify", "--hip-headers", "triton/backends/amd/include", "-o", "t.tsv"]
    for pin in pins():
        if pin.project in ("nvidia-cuda-runtime", "nvidia-cuda-crt"):
            (include,) = headers(pin).glob("nvidia/*/include")
            command += ["--cuda-headers", str(include)]
    ran = hipport(*command, cwd=tmp_path)
    assert re.search(r"CUDA 13\.5, HIP 7\.1: .* 0 not reported$", ran.err), ran.out
    assert ran.code == 0
    rows = [row.split("\t") for row in (tmp_path / "t.tsv").read_text("utf-8").splitlines()]
    assert sum(row[2] == "same" for row in rows) > 450


@pytest.mark.toolchain
def test_no_headers_there(tmp_path: Path) -> None:
    make_tree(tmp_path, {"hip/hip/hip_version.h": VERSION, "cuda/x": ""})
    command = ["rules", "verify", "--cuda-headers", "cuda", "--hip-headers", "hip"]
    ran = hipport(*command, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "cuda: none of cuda.h, cuda_runtime_api.h, cuda_runtime.h" in ran.err
