"""Nothing from a tree or binary is run or imported, whatever command is called in its midst.

The trees hold traps: programs, modules, settings and build files that leave a file behind once
anything runs, imports or loads them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.binaries import BINARY
from tests.support.command import make_tree, read_tree

PROGRAM = Path(sys.executable).with_name("hipport")
MODULES = (
    "click rich textual tree_sitter lief msgpack msgspec clang tomllib json multiprocessing rocm"
    " triton nvidia site sitecustomize usercustomize setup conftest mine encodings typing ctypes"
).split()
PROGRAMS = (
    "git hipconfig nvcc hipcc llvm-objdump llvm-cxxfilt llvm-readelf c++filt clang clang++ cmake"
    " make python python3 sh cat less configure build.sh vi"
).split()
LIBRARIES = (
    "libclang.so.19",
    "libclang-22.so.22",
    "rocm/llvm/librocmllvm.so",
    "libstdc++.so.6",
    "libc++abi.so.1",
)
SOURCE = """\
#include <cuda_runtime.h>
#pragma comment(lib, "evil")
__global__ void k(int *x) { *x = __popc(__ballot_sync(0xffffffff, threadIdx.x & 31)); }
int main() { int *x; cudaMalloc(&x, 4); k<<<1, 2>>>(x); return cudaFree(x); }
"""
GIT = """\
[core]
	fsmonitor = {trap} git-fsmonitor
	hooksPath = hooks
	pager = {trap} git-pager
	editor = {trap} git-editor
[diff]
	external = {trap} git-diff
[diff "evil"]
	command = {trap} git-diff-driver
	textconv = {trap} git-textconv
[merge "evil"]
	driver = {trap} git-merge-driver
[merge]
	conflictStyle = diff3
[filter "evil"]
	clean = {trap} git-clean
	smudge = {trap} git-smudge
[alias]
	merge-file = !{trap} git-alias
"""
DATABASE = (
    '[{{"directory": "{folder}", "file": "a.cu", "arguments": ["nvcc", "-fplugin=./libclang.so",'
    ' "-Xclang", "-load", "-Xclang", "./libclang.so", "-wrapper", "{trap} wrapper", "-B.",'
    ' "@options", "-I.", "-c", "a.cu", "-o", "{trace}/object", "-MD", "-MF", "{trace}/deps"]}}]'
)


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """The folder in which a sprung trap leaves a file."""
    (tmp_path / "traces").mkdir()
    return tmp_path / "traces"


@pytest.fixture
def tree(tmp_path: Path, traces: Path) -> Path:
    """A tree full of traps with some CUDA in it, and a fat binary."""
    python = f"open({str(traces)!r} + '/' + __name__, 'w')\n"
    shell = f'#!/bin/sh\ntouch "{traces}/program-$(basename "$0")"\n'
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\ntouch "{traces}/$1"\n')
    run = f"execute_process(COMMAND {trap} cmake)\nfile(WRITE {traces}/cmake-file x)\n"
    files = {
        "a.cu": SOURCE,
        "CMakeLists.txt": f"{run}include(evil.cmake)\nfind_package(CUDA)\n",
        "evil.cmake": run,
        "CMakePresets.json": '{"version": 6, "include": ["evil.json"], "configurePresets": []}',
        "Makefile": f"X := $(shell {trap} make)\nNVCC = nvcc\nall: a.cu\n\t$(NVCC) a.cu\n",
        "setup.py": f"{python}from torch.utils.cpp_extension import CUDAExtension\n",
        "evil.pth": f"import os; os.system('{trap} pth')\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "mine"\n'
        'backend-path = ["."]\n[tool.hipport]\nlibs = "hip"\n',
        "__init__.py": python,
        "__main__.py": python,
        ".git/config": GIT.format(trap=trap),
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/objects/x": "",
        ".git/refs/x": "",
        ".gitattributes": "* merge=evil diff=evil filter=evil\n",
        "compile_commands.json": DATABASE.format(folder=tmp_path / "tree", trap=trap, trace=traces),
        **{f"{name}.py": python for name in MODULES},
        **{f"{name}/__init__.py": python for name in MODULES},
        **{name: shell for name in PROGRAMS if name not in MODULES},
        **{f"bin/{name}": shell for name in PROGRAMS},
        **{f"hooks/{name}": shell for name in ("pre-commit", "post-checkout", "post-index-change")},
    }
    make_tree(tmp_path / "tree", files)
    for path in (trap, *(tmp_path / "tree").rglob("*")):
        if path.is_file():
            path.chmod(0o755)
    shutil.copy(BINARY / "elf-plain" / "libplain.so", tmp_path / "tree" / "lib.so")
    return tmp_path / "tree"


def run(*arguments: str | Path, tree: Path, is_module: bool = False) -> str:
    """What the installed program says in the tree, whose folder PATH names in every way."""
    path = os.pathsep.join(["", ".", "bin", os.environ["PATH"]])
    start = [sys.executable, "-m", "hipport"] if is_module else [str(PROGRAM)]
    done = subprocess.run(
        [*start, *map(str, arguments)],
        cwd=tree,
        env={**os.environ, "PATH": path, "HOME": str(tree), "TMPDIR": str(tree)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "internal error" not in done.stderr
    assert done.returncode in (0, 1, 2), done.stderr
    return done.stdout + done.stderr


COMMANDS = [
    ("convert", ".", "-o", "../out"),
    ("convert", ".", "-o", "../out", "--jobs", "2", "--scripts", "--explain"),
    ("convert", ".", "--diff"),
    ("convert", ".", "--in-place"),
    ("convert", ".", "-o", "../out", "--semantic"),
    ("audit", "report", "."),
    ("audit", "report", ".", "--jobs", "2", "--format", "html"),
    ("check", "."),
    ("compat", ".", "-o", "../c.h"),
    ("config", "."),
    ("rules", "show", "cudaMalloc"),
    ("verify", "."),
    ("verify", ".", "-p", ".", "-v"),
    ("fatbin", "list", ".", "lib.so"),
    ("fatbin", "kernels", "lib.so", "--registered"),
    ("fatbin", "show", "scale", "lib.so", "--target", "gfx90a"),
    ("fatbin", "check", "--all", "lib.so"),
    ("fatbin", "extract", "lib.so", "-o", "../out"),
]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_command_springs_a_trap(tree: Path, traces: Path, arguments: tuple[str, ...]) -> None:
    run(*arguments, tree=tree)
    assert list(traces.iterdir()) == []


@pytest.mark.toolchain
def test_no_library_of_a_tree_is_loaded(tree: Path, traces: Path) -> None:
    """The names that are looked for, and a plugin that the compilation database asks for."""
    code = f'__attribute__((constructor)) void f(void) {{ fopen("{traces}/library", "w"); }}'
    library = tree / "libclang.so"
    compiler = ["gcc", "-shared", "-fPIC", "-include", "stdio.h", "-x", "c", "-", "-o", library]
    subprocess.run(compiler, input=code.encode(), check=True)
    for name in LIBRARIES:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, tree / name)
    for arguments in COMMANDS:
        run(*arguments, tree=tree)
    assert list(traces.iterdir()) == []
    subprocess.run([sys.executable, "-c", f"import _ctypes; _ctypes.dlopen({str(library)!r}, 2)"])
    assert [path.name for path in traces.iterdir()] == ["library"]


def test_a_merge_runs_git_without_settings_of_a_tree(tree: Path, traces: Path) -> None:
    """git starts in a temporary folder; here that lies in the hostile repository itself."""
    run("convert", "a.cu", "CMakeLists.txt", "-o", "../out", tree=tree)
    run("convert", ".", "-o", "../merged", tree=tree)
    merged = tree.parent / "merged" / "a.cu"
    merged.write_text(merged.read_text().replace("int main", "// by hand\nint main"))
    (tree / "a.cu").write_text(SOURCE.replace("return cuda", "return (int)cuda"))
    run("convert", ".", "-o", "../merged", tree=tree)
    text = read_tree(tree.parent / "merged")["a.cu"]
    assert "// by hand" in text and "return (int)hip" in text
    assert list(traces.iterdir()) == []


def test_started_by_python_what_is_loaded_later_is_not_from_the_current_folder(
    tree: Path, traces: Path
) -> None:
    """`python -m` itself imports from the current folder, before a line of ours has run."""
    for name in ("encodings", "typing", "site"):
        shutil.rmtree(tree / name)
        (tree / f"{name}.py").unlink()
    assert "hipMalloc" in run("convert", "a.cu", "--diff", tree=tree, is_module=True)
    run("fatbin", "kernels", "lib.so", tree=tree, is_module=True)
    assert list(traces.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_python_starts_anew_import_nothing_of_the_current_folder(
    tree: Path, traces: Path, tmp_path: Path, method: str
) -> None:
    """Python 3.14 and macOS do not fork: their processes begin as `python -c` does."""
    start = tmp_path / "start.py"
    start.write_text(
        "import multiprocessing, sys\nfrom hipport.__main__ import main\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({method!r})\n    main()\n"
    )
    for command in (("audit", "report"), ("convert", "--check")):
        done = subprocess.run(
            [sys.executable, str(start), *command, ".", "--jobs", "2"],
            cwd=tree,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert "a.cu" in done.stdout, done.stderr
    assert list(traces.iterdir()) == []


def test_the_traps_work(tree: Path, traces: Path) -> None:
    # A run of several processes in this one sets it.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    subprocess.run([sys.executable, "-c", "import click"], cwd=tree, env=env, check=False)
    subprocess.run(["./git"], cwd=tree, check=True)
    subprocess.run(["git", "diff", "--no-index", "a.cu", "Makefile"], cwd=tree, check=False)
    assert {"click", "program-git", "git-clean"} <= {path.name for path in traces.iterdir()}
