"""`hipport verify` as a user runs it, against the HIP headers of Debian."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.support.command import Ran, hipport, make_tree
from tests.support.folders import CHECKOUT

pytestmark = pytest.mark.toolchain

HEAD = "#include <hip/hip_runtime.h>\n"
GOOD = (
    f"{HEAD}__global__ void k(int *p) {{ *p = threadIdx.x; }}\nint main() {{ k<<<1, 2>>>(0); }}\n"
)


def verify(folder: Path, *arguments: str, rocm: str = "/usr") -> Ran:
    return hipport("verify", "--jobs", "1", "--rocm-path", rocm, *arguments, cwd=folder)


def test_what_compiles(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.hip": GOOD})
    ran = verify(tmp_path, "src")
    assert ran == Ran(0, "0 findings in 1 file\n", "hipport: 1 unit: 1 compiles\n")


def test_each_error_once_at_its_line_with_what_explains_it(tmp_path: Path) -> None:
    text = f"{HEAD}void f() {{\n  cudaNosuch(\n    cuFlushGPUDirectRDMAWrites);\n  own();\n}}\n"
    make_tree(tmp_path, {"src/a.hip": text})
    ran = verify(tmp_path, "--format", "json", "--targets", "gfx90a,gfx1030", "src")
    found = [
        (each["path"], each["line"], each["code"], each["severity"], each["message"])
        for each in json.loads(ran.out)["findings"]
    ]
    rejects = "the compiler rejects this: use of undeclared identifier"
    missing = "`cuFlushGPUDirectRDMAWrites` has no counterpart in HIP; it was left as it is"
    assert found == [
        (
            "src/a.hip",
            4,
            "HP-VER-001",
            "manual",
            f"{rejects} 'cuFlushGPUDirectRDMAWrites'; HP-API-001: {missing}",
        ),
        ("src/a.hip", 5, "HP-VER-002", "manual", f"{rejects} 'own'; nothing reported it"),
    ]
    assert ran.code == 1
    assert ran.err.splitlines() == [
        "hipport: 1 unit: 1 has errors",
        "hipport: 2 errors, by what they come from:",
        "hipport:      1  HP-API-001 cuFlushGPUDirectRDMAWrites",
        "hipport:      1  nothing had reported it",
    ]


def test_errors_of_the_device_pass(tmp_path: Path) -> None:
    text = f'{HEAD}__global__ void k() {{\n  asm("mov %0;" :: "l"(1L));\n}}\n'
    make_tree(tmp_path, {"a.hip": text})
    ran = verify(tmp_path, "a.hip")
    assert ran.out.startswith(
        "a.hip:3:20: blocker HP-VER-001 the compiler rejects this: invalid input constraint 'l' in"
        " asm; HP-ASM-002:"
    )


def test_lines_and_findings_of_the_original(tmp_path: Path) -> None:
    text = "// One\n__global__ void k() {}\nvoid f() {\n  cuFlushGPUDirectRDMAWrites();\n}\n"
    make_tree(tmp_path, {"src/sub/a.cu": text})
    assert hipport("convert", "src", cwd=tmp_path).code == 1
    converted = (tmp_path / "src_hip/sub/a.cu").read_text("utf-8")
    assert converted.startswith("// One\n#include <hip/hip_runtime.h>\n")
    ran = verify(tmp_path, "--original", "src", "src_hip")
    assert ran.out.startswith("src/sub/a.cu:4:3: manual HP-VER-001 ")


def test_an_error_in_a_template_belongs_to_its_use(tmp_path: Path) -> None:
    text = f"{HEAD}#include <vector>\nstruct S {{ S() = delete; }};\nstd::vector<S> v(3);\n"
    make_tree(tmp_path, {"a.hip": text})
    lines = verify(tmp_path, "a.hip").out.splitlines()
    assert {line.split(":")[0] for line in lines[:1]} == {"a.hip"}
    assert ":4:" in lines[0]


def test_headers_that_are_missing(tmp_path: Path) -> None:
    text = f"{HEAD}#include <hipblas/hipblas.h>\n#include <torch/extension.h>\nhipblasHandle_t h;\n"
    make_tree(tmp_path, {"a.hip": text})
    ran = verify(tmp_path, "a.hip")
    assert ran.out.splitlines()[:2] == [
        "a.hip:2:10: review HP-VER-003 `hipblas/hipblas.h` is not among the headers of this ROCm:"
        " 1 error may follow",
        "a.hip:3:10: review HP-VER-004 `torch/extension.h` was not found: nothing else failed",
    ]
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "hipport: 1 unit: 1 was checked only in part: headers are missing",
        "hipport: 3 errors, by what they come from:",
        "hipport:      2  hipblas/hipblas.h is missing",
        "hipport:      1  torch/extension.h is missing",
    ]


def test_a_missing_header_is_told_once(tmp_path: Path) -> None:
    text = f"{HEAD}#include <hipblas/hipblas.h>\nhipblasHandle_t h;\n"
    make_tree(tmp_path, {f"src/{name}.hip": text for name in "abc"})
    ran = verify(tmp_path, "src")
    assert ran.out.splitlines() == [
        "src/a.hip:2:10: review HP-VER-003 `hipblas/hipblas.h` is not among the headers of this"
        " ROCm: 3 errors may follow",
        "1 finding in 1 of 3 files: 0 blocker, 0 manual, 1 review, 0 info",
    ]


def test_what_may_follow_from_a_missing_header_is_not_put_on_a_finding_beside_it(
    tmp_path: Path,
) -> None:
    text = (
        f"{HEAD}#include <hipblas/hipblas.h>\nvoid f() {{\n"
        "  cuFlushGPUDirectRDMAWrites(), hipblasNosuch();\n}\n"
    )
    make_tree(tmp_path, {"a.hip": text})
    ran = verify(tmp_path, "--format", "json", "a.hip")
    errors = [each["message"] for each in json.loads(ran.out)["findings"]]
    assert sum("hipblasNosuch" in each for each in errors) == 0
    assert sum("'cuFlushGPUDirectRDMAWrites'" in each for each in errors) == 1


def test_what_the_conversion_has_mended_is_not_blamed(tmp_path: Path) -> None:
    """The audit reports the mask of the original; the conversion has replaced it."""
    text = "__global__ void k(int *p) {\n  *p = __shfl_sync(0xffffffff, own(1), 0);\n}\n"
    make_tree(tmp_path, {"src/a.cu": text})
    hipport("convert", "src", cwd=tmp_path)
    assert " __shfl_sync(" not in (tmp_path / "src_hip/a.cu").read_text("utf-8")
    ran = verify(tmp_path, "--original", "src", "src_hip")
    (line,) = [line for line in ran.out.splitlines() if "'own'" in line]
    assert line.startswith("src/a.cu:2:")
    assert line.endswith("; nothing reported it")


def test_a_name_that_is_newer_than_the_headers(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.hip": f"{HEAD}auto f = hipGetDriverEntryPoint;\n"})
    out = verify(tmp_path, "a.hip").out
    assert out.splitlines()[0].startswith(
        "a.hip:2:10: review HP-VER-007 the HIP headers are of 5.2 and lack hipGetDriverEntryPoint,"
    )
    assert out.splitlines()[0].endswith(": 1 error")


def test_headers_that_are_too_old_come_first_with_the_command_that_mends_it(tmp_path: Path) -> None:
    names = ["hipGetDriverEntryPoint", "hipLibraryLoadData"] * 20
    uses = "".join(f"auto a{number} = {name};\n" for number, name in enumerate(names))
    make_tree(tmp_path, {"src/a.hip": f"{HEAD}int x = own();\n{uses}", "src/b.hip": HEAD + uses})
    ran = verify(tmp_path, "src")
    told = ran.err.splitlines()
    assert told[0].startswith("hipport: the HIP headers are of 5.2 and lack hipGetDriverEntryPoint")
    assert told[0].endswith(": 80 errors")
    assert told[1].startswith("hipport: Convert for these headers: `hipport convert --rocm 5.2`.")
    assert "hipport:     80  HIP headers older than the code" in told
    assert [line.split()[2] for line in ran.out.splitlines()[:2]] == ["HP-VER-007", "HP-VER-002"]
    assert len(ran.out.splitlines()) == 3


def test_code_under_a_condition_that_is_reported(tmp_path: Path) -> None:
    text = f"{HEAD}#ifdef __CUDACC__\nint helper();\n#endif\nint x = helper();\n"
    make_tree(tmp_path, {"a.hip": text})
    out = verify(tmp_path, "a.hip").out
    assert "helper is under a condition that does not hold: " in out.splitlines()[0]


def test_headers_that_do_not_fit_are_not_the_users_fault(tmp_path: Path) -> None:
    make_tree(
        tmp_path,
        {
            "rocm/include/hip/hip_version.h": "#define HIP_VERSION_MAJOR 5\n",
            "rocm/include/hip/hip_runtime.h": "int f() { return nosuch; }\n",
            "a.hip": f"{HEAD}int x = f();\n",
        },
    )
    ran = verify(tmp_path, "a.hip", rocm="rocm")
    place = tmp_path / "rocm/include/hip/hip_runtime.h"
    assert ran.out.splitlines()[0] == (
        f"a.hip:1:1: review HP-VER-005 1 error in headers that are not yours, the first in"
        f" {place}:1: use of undeclared identifier 'nosuch'"
    )
    assert ran.code == 0


def test_headers_of_two_hips(tmp_path: Path) -> None:
    """What the HIP that is named lacks comes from the system's, which does not fit to it."""
    make_tree(
        tmp_path,
        {
            "rocm/include/hip/hip_version.h": "#define HIP_VERSION_MAJOR 4\n",
            "rocm/include/hip/hip_runtime.h": "typedef int hipError_t;\n",
            "a.hip": f"{HEAD}#include <hip/hip_runtime_api.h>\nint x = own;\n",
        },
    )
    ran = verify(tmp_path, "a.hip", rocm="rocm")
    lines = ran.out.splitlines()
    assert "not yours, the first in /usr/include/hip/hip_runtime_api.h:" in lines[1]
    mixed = f"HIP 4.0 in {tmp_path}/rocm/include and HIP 5.2 in /usr/include are mixed"
    assert lines[1].endswith(f"; {mixed}")
    assert lines[0].startswith("a.hip:3:9: manual HP-VER-002 ")


def test_folders_of_the_tree_and_those_given(tmp_path: Path) -> None:
    make_tree(
        tmp_path,
        {
            "src/one/a.cu": f'{HEAD}#include "b.h"\n#include <c.h>\nint x = B + C + D;\n',
            "src/two/b.h": "#define B 1\n",
            "extern/c.h": "#define C 2\n",
        },
    )
    assert verify(tmp_path, "-Iextern", "-DD=3", "src").code == 0


def test_which_files_of_a_tree_are_compiled(tmp_path: Path) -> None:
    files = {
        "src/a.cu": GOOD,
        "src/b.cpp": "#include <nosuch.h>\n",
        "src/c.cc": f"{HEAD}int x;\n",
        "src/d.h": "syntax error\n",
        "src/e.c": "#include <hip/hip_runtime_api.h>\nhipError_t f(void) { return hipInit(0); }\n",
    }
    make_tree(tmp_path, files)
    ran = verify(tmp_path, "--format", "json", "src")
    report = json.loads(ran.out)
    schema = json.loads((CHECKOUT / "hipport/report/report.schema.json").read_text("utf-8"))
    jsonschema.validate(report, schema)
    assert [(each["path"], each["status"]) for each in report["files"]] == [
        ("src/a.cu", "verified"),
        ("src/c.cc", "verified"),
        ("src/e.c", "verified"),
    ]
    # A header that is named is compiled.
    assert verify(tmp_path, "src/d.h").code == 1


def test_a_unit_that_takes_too_long(tmp_path: Path) -> None:
    text = (
        "template <int N, long M> struct S { S<N - 1, 2 * M> a; S<N - 1, 2 * M + 1> b; };\n"
        "template <long M> struct S<0, M> { char c; };\n"
        "S<24, 1> s;\n"
    )
    make_tree(tmp_path, {"src/a.hip": text, "src/b.hip": GOOD})
    ran = verify(tmp_path, "--timeout", "5", "src")
    assert ran.out.splitlines()[:2] == [
        "src/a.hip:1:1: manual HP-VER-006 took longer than 5 s: nothing is known about this file"
        " on the host",
        "src/a.hip:1:1: manual HP-VER-006 took longer than 5 s: nothing is known about this file"
        " on gfx90a",
    ]
    assert ran.err == "hipport: 2 units: 1 compiles, 1 could not be parsed\n"


def test_a_unit_that_crashes_the_compiler(tmp_path: Path) -> None:
    deep = f"int x = {'(' * 200_000}1{')' * 200_000};\n"
    make_tree(tmp_path, {"src/a.hip": f"#pragma clang __debug crash\n{deep}", "src/b.hip": GOOD})
    ran = verify(tmp_path, "src")
    assert "HP-VER-006" in ran.out.splitlines()[0]
    assert ran.err == "hipport: 2 units: 1 compiles, 1 could not be parsed\n"


def test_sarif_names_the_command(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.hip": "int x = nosuch;\n"})
    run = json.loads(verify(tmp_path, "--format", "sarif", "a.hip").out)["runs"][0]
    assert run["automationDetails"] == {"id": "hipport/verify/"}
    assert [each["ruleId"] for each in run["results"]] == ["HP-VER-002"]


def test_what_was_found_is_told(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.hip": GOOD})
    lines = verify(tmp_path, "-v", "a.hip").err.splitlines()
    assert lines[0].startswith("hipport: libclang: ")
    assert lines[1].startswith("hipport: clang's own headers: /")
    assert lines[2] == "hipport: HIP headers: 5.2, /usr/include (by --rocm-path)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rocm-path", "."], "no include/hip/hip_version.h there (check --rocm-path)"),
        (["--libclang", "/nosuch.so"], "/nosuch.so: cannot be used"),
        (["--resource-dir", "."], "check --resource-dir"),
        (["--targets", "sm_80"], "--targets: no processor sm_80"),
        (["--original", "a.hip", "a.hip"], "--original is for one PATH"),
        (["-p", "nosuch"], "nosuch: no such file"),
        (["empty"], "nothing to compile there"),
    ],
)
def test_wrong_use(tmp_path: Path, arguments: list[str], message: str) -> None:
    make_tree(tmp_path, {"a.hip": GOOD, "empty/x.txt": ""})
    where = [] if arguments == ["empty"] else ["a.hip"]
    ran = hipport("verify", *arguments, *where, cwd=tmp_path)
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == ""


def test_verified_as_it_is_converted(tmp_path: Path) -> None:
    text = (
        "// One\n__global__ void k() {}\nvoid f() {\n  cuFlushGPUDirectRDMAWrites();\n  own();\n}\n"
    )
    make_tree(tmp_path, {"src/sub/a.cu": text, "src/b.cu": GOOD, "src/c.h": "cudaError_t e;\n"})
    convert = ["convert", "--verify", "--rocm", "5.2", "--report", "r.json", "--jobs", "1"]

    def found(*arguments: str) -> list[tuple[str, int, str]]:
        ran = hipport(*convert, *arguments, "src", cwd=tmp_path)
        assert ran.code == 1
        assert ran.err.startswith("hipport: 2 units: 1 compiles, 1 has errors\n")
        report = json.loads((tmp_path / "r.json").read_text("utf-8"))
        return [(each["path"], each["line"], each["code"]) for each in report["findings"]]

    expected = [
        ("sub/a.cu", 4, "HP-API-001"),
        ("sub/a.cu", 4, "HP-VER-001"),
        ("sub/a.cu", 5, "HP-VER-002"),
    ]
    assert found("-o", "out") == expected
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    schema = json.loads((CHECKOUT / "hipport/report/report.schema.json").read_text("utf-8"))
    jsonschema.validate(report, schema)
    assert {each["path"]: each.get("verification") for each in report["files"]} == {
        "b.cu": "verified",
        "c.h": None,
        "sub/a.cu": "rejected",
    }
    assert report["summary"]["verification"] == {"rejected": 1, "verified": 1}
    # The lines of the files that were replaced.
    assert found("--in-place") == expected


def test_arguments_and_the_database_of_a_conversion(tmp_path: Path) -> None:
    row = {"directory": str(tmp_path / "src"), "file": "a.cu", "command": "nvcc -Iinc -DM=1 a.cu"}
    text = '#include "b.h"\nint x = M + N + D;\n'
    make_tree(
        tmp_path,
        {
            "src/a.cu": text,
            "src/inc/b.h": "#define N 2\n",
            "src/build/compile_commands.json": json.dumps([row]),
        },
    )
    made = ["convert", "--verify", "--jobs", "1", "-o", "out", "src"]
    ran = hipport(*made, "-DD=3", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "hipport: 1 unit: 1 compiles\n")
    assert hipport(*made, "--report", "r.json", cwd=tmp_path).code == 1
    finding = json.loads((tmp_path / "r.json").read_text("utf-8"))["findings"][0]
    assert "use of undeclared identifier 'D'" in finding["message"]
    assert hipport("convert", "-DD=3", "-o", "out", "src", cwd=tmp_path).code == 2
    # A folder of the tree is the converted one.
    (tmp_path / "src/build/compile_commands.json").unlink()
    make_tree(tmp_path, {"src/inc/b.h": "inline cudaError_t N() { return cudaSuccess; }\n"})
    make_tree(
        tmp_path, {"src/a.cu": "#include <cuda_runtime.h>\n#include <inc/b.h>\nauto x = N();\n"}
    )
    assert hipport(*made, "--force", "-Isrc", cwd=tmp_path).code == 0


CONFIG = """\
targets = ["gfx1030"]
exclude = ["old/"]
ignore = ["HP-VER-001"]
severity = {HP-VER-002 = "review"}
per-file-ignores = {"d.cu" = ["HP-VER"]}
"""


@pytest.mark.parametrize("place", ["hipport.toml", "src/hipport.toml"])
def test_the_configuration_counts(tmp_path: Path, place: str) -> None:
    only = "#ifdef __gfx1030__\nint x = own;\n#endif\n"
    files = {
        place: CONFIG,
        "src/a.cu": f"{only}void f() {{ cuFlushGPUDirectRDMAWrites(); }}\n",
        "src/old/b.cu": "int x = own;\n",
        "src/d.cu": "int x = own;\n",
    }
    make_tree(tmp_path, files)

    def codes(text: str) -> list[tuple[str, str, str]]:
        findings = json.loads(text)["findings"]
        told = [e for e in findings if e["code"].startswith("HP-VER")]
        return [(e["path"].rpartition("src/")[2], e["code"], e["severity"]) for e in told]

    made = ["--verify", "--rocm", "5.2", "--report", "r.json", "--jobs", "1", "-o", "out", "src"]
    assert hipport("convert", *made, cwd=tmp_path).code == 1
    expected = [("a.cu", "HP-VER-002", "review")]
    assert codes((tmp_path / "r.json").read_text("utf-8")) == expected
    ran = verify(tmp_path, "--format", "json", "--original", "src", "out")
    assert (ran.code, codes(ran.out)) == (0, expected)
    assert json.loads(ran.out)["summary"]["options"]["targets"] == "gfx1030"
    # Flags win over the file, and --isolated over all of it.
    assert codes(verify(tmp_path, "--targets", "gfx90a", "--format", "json", "out").out) == []
    alone = verify(tmp_path, "--isolated", "--format", "json", "--original", "src", "out")
    assert codes(alone.out) == [
        ("a.cu", "HP-VER-001", "manual"),
        ("d.cu", "HP-VER-002", "manual"),
        ("old/b.cu", "HP-VER-002", "manual"),
    ]


def test_a_faulty_configuration(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.hip": GOOD, "hipport.toml": 'targets = ["gfx1"]\n'})
    ran = verify(tmp_path, "a.hip")
    assert (ran.code, ran.out) == (2, "")
    assert f"{tmp_path}/hipport.toml: targets: no processor gfx1" in ran.err


def test_verify_needs_a_result(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/b.cu": GOOD})
    ran = hipport("convert", "--verify", "--diff", "src", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "--verify compiles what is written" in ran.err
