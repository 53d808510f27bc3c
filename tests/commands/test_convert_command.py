"""`hipport convert` as a user calls it: what is written where, what is printed, the exit code."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.command import Ran, hipport, listing, make_tree, read_tree

DONE = Ran(0, "", "")
CUDA = "#include <cuda_runtime.h>\nint f(void **p) { return cudaMalloc(p, 4); }\n"
HIP = "#include <hip/hip_runtime.h>\nint f(void **p) { return hipMalloc(p, 4); }\n"
UNMAPPED = "int g() { return cudaDeviceFlushGPUDirectRDMAWrites(x, y); }\n"
KERNEL = '#include "sub/k.cuh"\nvoid run() { k<<<1, 2>>>(); }\n'
HEADER = "#pragma once\n__global__ void k();\n"
RUNTIME = "#include <hip/hip_runtime.h>\n"
WARP = "__global__ void k(int *x) { *x = __shfl_sync(~0u, *x, 0); }\n"
LAUNCHED = "void run() { hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0); }\n"
"""The launch of KERNEL, converted."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "src", {"a.cu": CUDA, "sub/plain.c": "int x;\n"})


# Where the result goes


def test_a_complete_copy_goes_beside_the_source(tmp_path: Path) -> None:
    given = {
        "a.cu": CUDA,
        "empty": "",
        "empty.cu": "",
        "Makefile": "all:\n\tnvcc a.cu -lcudart # cudaMalloc\n",
        "data.bin": bytes(range(256)) * 3,
        "sub/deep/crlf.cpp": "cudaError_t e;\r\n",
        "sub/unchanged.h": "struct own {};\n",
        "tools/run.sh": "#!/bin/sh\n",
    }
    source = make_tree(tmp_path / "src", given)
    (source / "tools/run.sh").chmod(0o750)
    (source / "a.cu").chmod(0o600)
    (source / "sub/unchanged.h").chmod(0o444)
    (source / "link.cu").symlink_to("sub/deep/crlf.cpp")
    (source / "sub/folder").symlink_to("../tools")
    before = read_tree(source)

    assert hipport("convert", "src", cwd=tmp_path) == DONE

    assert read_tree(source) == before
    assert read_tree(tmp_path / "src_hip") == {
        **before,
        "a.cu": HIP,
        "Makefile": "all:\n\thipcc a.cu -lamdhip64 # cudaMalloc\n",
        "sub/deep/crlf.cpp": "hipError_t e;\r\n",
    }
    modes = {name: (tmp_path / "src_hip" / name).stat().st_mode & 0o7777 for name in before}
    assert modes == {name: (source / name).stat().st_mode & 0o7777 for name in before}


@pytest.mark.parametrize("given", ["src/", "./src", "other/../src", "src/sub/.."])
def test_the_copy_stands_beside_the_folder_however_it_is_named(tree: Path, given: str) -> None:
    (tree.parent / "other").mkdir()
    assert hipport("convert", given, cwd=tree.parent) == DONE
    assert (tree.parent / "src_hip/a.cu").read_text() == HIP


@pytest.mark.parametrize(("where", "given"), [("src", "."), ("src/sub", "..")])
def test_the_working_folder_is_copied_beside_itself(tree: Path, where: str, given: str) -> None:
    assert hipport("convert", given, cwd=tree.parent / where) == DONE
    assert read_tree(tree.parent / "src_hip") == {"a.cu": HIP, "sub/plain.c": "int x;\n"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.cu", "a_hip.cu"), ("x.y.cuh", "x.y_hip.cuh"), ("k.cu.h", "k_hip.cu.h")],
)
def test_a_single_file_gets_a_name_beside_it(tmp_path: Path, name: str, expected: str) -> None:
    make_tree(tmp_path, {f"d/{name}": CUDA})
    assert hipport("convert", f"d/{name}", cwd=tmp_path) == DONE
    assert read_tree(tmp_path) == {f"d/{name}": CUDA, f"d/{expected}": HIP}


def test_a_file_given_by_a_link_is_converted(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": CUDA})
    (tmp_path / "link.cu").symlink_to("a.cu")
    assert hipport("convert", "link.cu", cwd=tmp_path) == DONE
    assert (tmp_path / "link_hip.cu").read_text() == HIP
    assert hipport("convert", "--in-place", "link.cu", cwd=tmp_path) == DONE
    assert (tmp_path / "link.cu").is_symlink()
    assert (tmp_path / "a.cu").read_text() == HIP


def test_output_folder_is_made(tree: Path) -> None:
    assert hipport("convert", "src", "-o", "x/y", cwd=tree.parent) == DONE
    assert read_tree(tree.parent / "x/y") == {"a.cu": HIP, "sub/plain.c": "int x;\n"}
    assert not (tree.parent / "src_hip").exists()


def test_a_file_goes_into_the_output_folder(tree: Path) -> None:
    assert hipport("convert", "src/a.cu", "-o", "out", cwd=tree.parent) == DONE
    assert read_tree(tree.parent / "out") == {"a.cu": HIP}


def test_several_paths_keep_their_places(tmp_path: Path) -> None:
    make_tree(tmp_path, {"one/src/a.cu": CUDA, "two/src/a.cu": CUDA, "c.cu": CUDA})
    paths = ["one/src", "two/src", "c.cu"]
    assert hipport("convert", *paths, cwd=tmp_path) == DONE
    for output in ("one/src_hip/a.cu", "two/src_hip/a.cu", "c_hip.cu"):
        assert (tmp_path / output).read_text() == HIP
    assert hipport("convert", *paths, "-o", "out", cwd=tmp_path) == DONE
    assert read_tree(tmp_path / "out") == {"one/src/a.cu": HIP, "two/src/a.cu": HIP, "c.cu": HIP}


def test_a_forced_run_replaces_the_first(tree: Path) -> None:
    assert hipport("convert", "src", cwd=tree.parent) == DONE
    (tree.parent / "src_hip/a.cu").write_text("stale")
    (tree.parent / "src_hip/a.cu").chmod(0o444)
    (tree / "link").symlink_to("a.cu")
    for _ in range(2):
        assert hipport("convert", "--force", "src", cwd=tree.parent) == DONE
        expected = {"a.cu": HIP, "link": "-> a.cu", "sub/plain.c": "int x;\n"}
        assert read_tree(tree.parent / "src_hip") == expected


def test_in_place(tree: Path) -> None:
    plain = tree / "sub/plain.c"
    untouched = plain.stat().st_ino, plain.stat().st_mtime_ns
    (tree / "a.cu").chmod(0o640)
    assert hipport("convert", "--in-place", "src", cwd=tree.parent) == DONE
    assert read_tree(tree.parent) == {"src/a.cu": HIP, "src/sub/plain.c": "int x;\n"}
    assert (tree / "a.cu").stat().st_mode & 0o777 == 0o640
    assert (plain.stat().st_ino, plain.stat().st_mtime_ns) == untouched


def test_in_place_keeps_backups_of_what_changes(tree: Path) -> None:
    for _ in range(2):
        assert hipport("convert", "--in-place", "--backup", ".orig", "src", cwd=tree.parent) == DONE
        expected = {"a.cu": HIP, "a.cu.orig": CUDA, "sub/plain.c": "int x;\n"}
        assert read_tree(tree) == expected


# What is left out


def test_gitignore_and_version_control_are_respected(tmp_path: Path) -> None:
    make_tree(
        tmp_path / "src",
        {
            ".gitignore": "*.o\nbuild/\n/top.cu\n!keep.o\n",
            ".git/config": "",
            ".hg/x.cu": CUDA,
            "a.cu": CUDA,
            "a.o": "",
            "keep.o": "",
            "top.cu": CUDA,
            "build/b.cu": CUDA,
            "sub/top.cu": CUDA,
            "sub/.gitignore": "!*.o\n*.tmp\n",
            "sub/b.o": "",
            "sub/b.tmp": "",
            "c.tmp": "",
        },
    )
    assert hipport("convert", "src", cwd=tmp_path) == DONE
    assert sorted(read_tree(tmp_path / "src_hip")) == [
        ".gitignore",
        "a.cu",
        "a.o",
        "c.tmp",
        "keep.o",
        "sub/.gitignore",
        "sub/b.o",
        "sub/b.tmp",
        "sub/top.cu",
        "top.cu",
    ]
    assert (tmp_path / "src_hip/top.cu").read_text() == CUDA  # ignored: copied, not converted


def test_excluded_files_are_copied_as_they_are(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {"a.cu": CUDA, "third/b.cu": CUDA, "c_test.cu": CUDA})
    options = ["--exclude", "third/", "--exclude", "*_test.cu", "--rename", ".cu=.hip"]
    assert hipport("convert", *options, "src", cwd=tmp_path) == DONE
    assert read_tree(tmp_path / "src_hip") == {
        "a.hip": HIP,
        "third/b.cu": CUDA,
        "c_test.cu": CUDA,
    }


def test_links_out_of_the_tree_are_said_once_a_folder_and_not_followed(tmp_path: Path) -> None:
    source = make_tree(tmp_path / "src", {"a.cu": CUDA, "sub/b.c": ""})
    make_tree(tmp_path / "outside", {"secret.cu": CUDA})
    links = {
        "absolute.cu": str(tmp_path / "outside/secret.cu"),
        "back.cu": "../src/a.cu",
        "folder": "../outside",
        "sub/up.cu": "../../outside/secret.cu",
        "through": "sub/here/../../outside",
    }
    for name, target in links.items():
        (source / name).symlink_to(target)
    (source / "sub/here").symlink_to("..")
    done = hipport("convert", "src", cwd=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        f"hipport: warning: {name}: symbolic link out of the tree, not copied"
        " (copy what it points to by hand)"
        for name in ("absolute.cu and 3 more", "sub/up.cu")
    ]
    expected = {"a.cu": HIP, "sub/b.c": "", "sub/here": "-> .."}
    assert read_tree(tmp_path / "src_hip") == expected


# --diff, --check and -


def test_patching_with_the_diff_gives_the_converted_tree(tmp_path: Path) -> None:
    source = make_tree(
        tmp_path / "src",
        {
            "a.cu": CUDA,
            "no newline.cu": CUDA + "cudaStream_t s;",
            "sub/crlf.cu": CUDA.replace("\n", "\r\n"),
            "sub/feeds.cu": "int a;\f\n\v cudaStream_t s;\x85\n// \u2028 \rcudaEvent_t e;\n",
            "sub/latin.cu": b"// \xfc\xff\n" + CUDA.encode(),
            "long.cu": "int filler;\n" * 300 + "cudaEvent_t e;\n" + "int filler;\n" * 300,
            "plain.cc": "int x;",
        },
    )
    before = read_tree(source)
    done = hipport("convert", "--diff", "src", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert read_tree(source) == before
    assert listing(tmp_path) == ["src"]
    assert hipport("convert", "src", cwd=tmp_path) == DONE
    diff = done.out.encode("utf-8", "surrogateescape")
    patch = ["patch", "-p1", "--binary", "--quiet"]
    for command in (patch, ["git", "apply"]):
        copied = tmp_path / command[0]
        shutil.copytree(source, copied / "src")
        subprocess.run(command, cwd=copied, input=diff, check=True)
        assert read_tree(copied / "src") == read_tree(tmp_path / "src_hip")


def test_diff_exactly(tree: Path) -> None:
    old, new = CUDA.splitlines(), HIP.splitlines()
    assert hipport("convert", "--diff", "src", cwd=tree.parent) == Ran(
        0,
        f"--- a/src/a.cu\n+++ b/src/a.cu\n@@ -1,2 +1,2 @@\n"
        f"-{old[0]}\n-{old[1]}\n+{new[0]}\n+{new[1]}\n",
        "",
    )


def test_check(tree: Path) -> None:
    before = read_tree(tree.parent)
    assert hipport("convert", "--check", "src", cwd=tree.parent) == Ran(1, "a.cu\n", "")
    assert read_tree(tree.parent) == before
    (tree / "a.cu").write_text(HIP)
    assert hipport("convert", "--check", "src", cwd=tree.parent) == DONE


def test_standard_input(tmp_path: Path) -> None:
    def run(*options: str, given: str = CUDA) -> Ran:
        return hipport("convert", *options, "-", cwd=tmp_path, stdin=given.encode())

    assert run() == Ran(0, HIP, "")
    assert run(given=HIP) == Ran(0, HIP, "")
    assert run("--stdin-filename", "x/k.cpp", given=UNMAPPED) == Ran(1, UNMAPPED, "")
    assert run("--stdin-filename", "x.py", given="import apex\n") == Ran(1, "import apex\n", "")
    assert run("--check") == Ran(1, "stdin.cu\n", "")
    assert run("--check", given=HIP) == DONE
    assert run("--diff", "--stdin-filename", "k.c").out.startswith("--- a/k.c\n+++ b/k.c\n@@")
    assert listing(tmp_path) == []


def test_the_result_of_one_file_on_standard_output(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": CUDA, "hip.cu": HIP, "k.cu": WARP})

    def run(*arguments: str) -> Ran:
        return hipport("convert", *arguments, "-o", "-", cwd=tmp_path)

    assert run("a.cu") == Ran(0, HIP, "")
    assert run("hip.cu") == Ran(0, HIP, "")
    assert run("a.cu", "--exit-non-zero-on-change") == Ran(1, HIP, "")
    assert "namespace warp32 {" in run("k.cu").out  # There is no folder for a header.
    assert hipport("convert", "-", "-o", "-", cwd=tmp_path, stdin=CUDA.encode()) == Ran(0, HIP, "")
    assert listing(tmp_path) == ["a.cu", "hip.cu", "k.cu"]


def test_where_the_result_is_printed_nothing_else_is(tmp_path: Path) -> None:
    given = {"cwd": tmp_path, "stdin": CUDA.encode()}
    assert hipport("convert", "-", "--exit-non-zero-on-change", **given) == Ran(1, HIP, "")


def test_a_build_file_from_standard_input(tmp_path: Path) -> None:
    def run(name: str, text: str, *options: str) -> Ran:
        command = ["convert", "--stdin-filename", name, *options, "-"]
        return hipport(*command, cwd=tmp_path, stdin=text.encode())

    cmake = "enable_language(CUDA)\n"
    assert run("CMakeLists.txt", cmake) == Ran(0, "enable_language(HIP)\n", "")
    assert run("sub/Makefile", "a.o: a.cu\n\tnvcc -c a.cu\n").out.endswith("\thipcc -c a.cu\n")
    told = "--stdin-filename CMakeLists.txt: not a source file's name (end it in .cu)"
    refused = run("CMakeLists.txt", cmake, "--no-build-files")
    assert refused == Ran(2, "", f"hipport: {told}\n")
    assert listing(tmp_path) == []


# Names, libraries, versions


def test_headers_of_nvidia_samples_that_the_tree_has_are_not_missed(tmp_path: Path) -> None:
    program = "#include <helper_cuda.h>\n#include <helper_math.h>\n#include <cuda_wormhole.h>\n"
    given = {"one/a.cpp": program, "Common/helper_cuda.h": "", "deep/inc/cuda_wormhole.h": ""}
    make_tree(tmp_path / "src", given)
    ran = hipport("convert", "src", "--report", "r.json", cwd=tmp_path)
    assert ran.code == 1
    told = json.loads((tmp_path / "r.json").read_text())["findings"]
    assert [(each["code"], each["line"]) for each in told] == [("HP-INC-002", 2)]
    assert read_tree(tmp_path / "src_hip") == given


def test_renaming_is_followed_by_includes_and_links(tmp_path: Path) -> None:
    source = make_tree(
        tmp_path / "src",
        {"run.cu": KERNEL, "sub/k.cuh": HEADER, "own.cu": '#include "other.cuh"\n', "x.cc": ""},
    )
    (source / "latest.cu").symlink_to("run.cu")
    (source / "sub/header").symlink_to("../sub/k.cuh")
    renaming = ["--rename", ".cu=.hip", "--rename", ".cuh=.hip.h"]
    assert hipport("convert", *renaming, "src", cwd=tmp_path) == DONE
    expected = {
        "run.hip": RUNTIME + '#include "sub/k.hip.h"\n' + LAUNCHED,
        "sub/k.hip.h": f"#pragma once\n{RUNTIME}__global__ void k();\n",
        "own.hip": '#include "other.cuh"\n',
        "x.cc": "",
        "latest.hip": "-> run.hip",
        "sub/header": "-> ../sub/k.hip.h",
    }
    assert read_tree(tmp_path / "src_hip") == expected
    assert hipport("convert", *renaming, "--in-place", "src", cwd=tmp_path) == DONE
    assert read_tree(source) == expected


def test_renaming_in_place_keeps_a_backup(tree: Path) -> None:
    options = ["--in-place", "--rename", ".cu=.hip", "--backup", ".orig"]
    assert hipport("convert", *options, "src", cwd=tree.parent) == DONE
    assert read_tree(tree) == {"a.hip": HIP, "a.cu.orig": CUDA, "sub/plain.c": "int x;\n"}


@pytest.mark.parametrize(
    ("libs", "expected"), [("hip", "hipblasHandle_t h;\n"), ("roc", "rocblas_handle h;\n")]
)
def test_libraries(tmp_path: Path, libs: str, expected: str) -> None:
    given = b"cublasHandle_t h;\n"
    name = ["--stdin-filename", "x.cc"]
    done = hipport("convert", "--libs", libs, *name, "-", cwd=tmp_path, stdin=given)
    assert (done.code, done.out.splitlines(keepends=True)[-1]) == (0, expected)


def test_launches_are_kept(tmp_path: Path) -> None:
    done = hipport("convert", "--launch", "keep", "-", cwd=tmp_path, stdin=KERNEL.encode())
    assert done == Ran(0, RUNTIME + KERNEL, "")


def test_an_older_rocm_gets_no_newer_name(tmp_path: Path) -> None:
    text = b"#include <hip/hip_runtime.h>\nvoid f() { cudaMallocAsync(p, n, s); }\n"
    done = hipport("convert", "--rocm", "5.1", "-", cwd=tmp_path, stdin=text)
    assert done == Ran(1, text.decode(), "")
    done = hipport("convert", "--rocm", "5.2.0", "-", cwd=tmp_path, stdin=text)
    assert done == Ran(0, text.decode().replace("cudaMalloc", "hipMalloc"), "")


# Exit codes


SEVERITIES = {
    "blocker": '__device__ void f() { asm("mma.sync.aligned.m16n8k16.row.col;"); }\n',
    "manual": UNMAPPED,
    "review": "int f(unsigned m) { return cudaFrobnicate(m); }\n",
    "info": "#ifdef __CUDACC__\nint f();\n#endif\n",
    "never": HIP,
}
ORDER = list(SEVERITIES)


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("limit", SEVERITIES)
def test_fail_on(tmp_path: Path, severity: str, limit: str) -> None:
    text = SEVERITIES[severity].encode()
    done = hipport("convert", "--fail-on", limit, "-", cwd=tmp_path, stdin=text)
    fails = "never" not in (severity, limit) and ORDER.index(severity) <= ORDER.index(limit)
    assert (done.code, done.err) == (int(fails), "")


def test_manual_findings_fail_by_default(tmp_path: Path) -> None:
    codes = [
        hipport("convert", "-", cwd=tmp_path, stdin=text.encode()).code
        for text in SEVERITIES.values()
    ]
    assert codes == [1, 1, 0, 0, 0]


def test_two_processes_do_the_same_as_one(tmp_path: Path) -> None:
    files = {f"{number:02}/k.cu": CUDA * number + UNMAPPED for number in range(40)}
    make_tree(tmp_path / "src", {**files, "bad.cu": b"\0"})
    runs = [
        hipport("convert", "src", "-o", f"out{jobs}", "--jobs", str(jobs), cwd=tmp_path)
        for jobs in (1, 2)
    ]
    assert runs[0] == runs[1]
    assert runs[0].code == 2
    assert read_tree(tmp_path / "out1") == read_tree(tmp_path / "out2")


# Wrong use: one line that says what to do, exit code 2, nothing written


INSIDE = " (choose a folder elsewhere with -o, or --in-place)"


def test_a_report_on_standard_output(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": UNMAPPED})
    for command in ("convert a.cu --report -", "audit a.cu --format json -o -"):
        done = hipport(*command.split(), cwd=tmp_path)
        symbols = [each["symbol"] for each in json.loads(done.out)["findings"]]
        assert (symbols, done.err) == (["cudaDeviceFlushGPUDirectRDMAWrites"], "")
    assert not (tmp_path / "-").exists()


STREAM = "- converts standard input to standard output (give no other path, no -o)"
WRITES_NOTHING = "--diff and --check write nothing (drop --in-place and -o)"
REPORT = "--report - writes where the result goes (name a file)"
WRONG = [
    ("nowhere", "nowhere: no such file or folder (check the path)"),
    ("src nowhere", "nowhere: no such file or folder (check the path)"),
    ("src ''", "a path is empty (is the variable that it comes from set?)"),
    ("src -o src", f"src: the output lies inside the input src{INSIDE}"),
    ("src -o src/x/y", f"src/x/y: the output lies inside the input src{INSIDE}"),
    ("src src/sub", f"src/sub_hip: the output lies inside the input src{INSIDE}"),
    (
        "src/a.cu -o src/sub/..",
        "src/a.cu: its result would replace the input src/a.cu (choose another -o)",
    ),
    ("src -o file", "file: a file of that name is in the way (choose another -o)"),
    (
        "src --rename .cu=.cpp",
        "src/a.cu: its result would replace that of src/a.cpp (choose another --rename)",
    ),
    (
        "src --rename .cu=.cpp --in-place",
        "src/a.cu: its result would replace the input src/a.cpp (choose another --rename)",
    ),
    ("src --in-place -o x", "--in-place and -o exclude each other (give one of them)"),
    (
        "src --backup .orig",
        "--backup keeps originals that --in-place would overwrite (add --in-place)",
    ),
    ("src --in-place --backup /x", "--backup /x: no suffix (write it like .orig)"),
    ("src --diff -o x", WRITES_NOTHING),
    ("src --check --in-place", WRITES_NOTHING),
    ("src -o -", "-o - writes the result of one file (name a folder)"),
    ("src/a.cu src/a.cpp -o -", "-o - writes the result of one file (name a folder)"),
    ("src/a.cu -o - --diff", WRITES_NOTHING),
    ("src/a.cu -o - --report -", REPORT),
    (
        "src/a.cu -o - --verify",
        "--verify compiles what is written (name a folder with -o)",
    ),
    (
        "src/a.cu -o - --explain",
        "--explain writes where the result goes (name a folder with -o)",
    ),
    (
        "src/a.cu -o a.hip",
        "-o a.hip: the result goes to a folder, not to a file"
        " (name a folder, or print the result with -o -)",
    ),
    ("src -", STREAM),
    ("- --in-place", STREAM),
    ("- -o x", STREAM),
    (
        "- --stdin-filename x.txt",
        "--stdin-filename x.txt: not a source file's name (end it in .cu)",
    ),
    ("src --diff --report -", REPORT),
    ("- --report -", REPORT),
    ("src --rocm new", "--rocm new: not a version (write it like 6.4)"),
    ("src --rocm 6.", "--rocm 6.: not a version (write it like 6.4)"),
    ("src --rocm -1", "--rocm -1: not a version (write it like 6.4)"),
    ("src --rename cu=hip", "--rename cu=hip: two endings are needed (write it like .cu=.hip)"),
    ("src --rename .cu", "--rename .cu: two endings are needed (write it like .cu=.hip)"),
    ("src --rename .cu=./x", "--rename .cu=./x: two endings are needed (write it like .cu=.hip)"),
    ("src --exclude !", "--exclude: '!' names nothing (write it as in .gitignore)"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[each[0] for each in WRONG])
def test_wrong_use(tmp_path: Path, arguments: str, message: str) -> None:
    make_tree(tmp_path, {"src/a.cu": CUDA, "src/a.cpp": "", "src/sub/b.c": "", "file": ""})
    before = read_tree(tmp_path)
    done = hipport("convert", *shlex.split(arguments), cwd=tmp_path)
    assert done == Ran(2, "", f"hipport: {message}\n")
    assert read_tree(tmp_path) == before


def test_an_output_folder_that_holds_the_input(tmp_path: Path) -> None:
    make_tree(tmp_path, {"x/src/a.cu": CUDA, "x/src/src/a.cu": CUDA})
    before = read_tree(tmp_path)
    loss = "x/src/src/a.cu: its result would replace the input x/src/a.cu (choose another -o)"
    done = hipport("convert", "x/src", "-o", "x", cwd=tmp_path)
    assert done == Ran(2, "", f"hipport: {loss}\n")
    assert read_tree(tmp_path) == before


def test_a_rocm_release_to_come_is_refused(tree: Path) -> None:
    done = hipport("convert", "--rocm", "99", "src", cwd=tree.parent)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("hipport: --rocm 99: the rulebook knows ROCm up to ")
    assert listing(tree.parent) == ["src"]


@pytest.mark.parametrize("arguments", [["convert"], ["convert", "--libs", "x", "src"], ["convrt"]])
def test_unknown_options_and_commands(tree: Path, arguments: list[str]) -> None:
    done = hipport(*arguments, cwd=tree.parent)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: hipport")
    assert "Error: " in done.err
