"""Converted CUDA programs, compiled by Debian's HIP 5.2 for two AMD targets (no GPU needed)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.cuda_programs import FOLDER, Program, programs, table
from tests.support.folders import CHECKOUT
from tests.support.precompiled import Precompiled

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

TARGETS: list[str] = table()["targets"]
# https://clang.llvm.org/docs/ClangOffloadBundler.html: the entry IDs of HIP, code object V4 on.
ENTRY_ID = "hipv4-amdgcn-amd-amdhsa--{}"
# AMDGPUUsage, "AMDGPU EF_AMDGPU_MACH Values": the low byte of e_flags.
MACHINES = {"gfx90a": 0x3F, "gfx1030": 0x36}
HOST_ID = "host-x86_64-unknown-linux"
COMPILING = [program for program in programs().values() if program.compiles]
FAILING = [program for program in programs().values() if not program.compiles]
# The compiler must find its own way: what a user's shell says about another ROCm is left out.
MISLEADING = re.compile(r"HIP|ROCM|HCC|CPATH$|CPLUS_INCLUDE|C_INCLUDE")


@cache
def llvm_version() -> str:
    """The major version of the LLVM that hipcc calls."""
    found = re.search(r"clang version (\d+)\.", _output("hipcc", "--version"))
    assert found, "hipcc does not say which clang it calls"
    return found[1]


def llvm(name: str) -> str:
    """A tool of LLVM in that version, as Debian names it."""
    return f"{name}-{llvm_version()}"


def environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not MISLEADING.match(key)}
    return kept | {"HIP_PLATFORM": "amd", "LC_ALL": "C"}


def _output(*command: str) -> str:
    return run(*command, check=True).stdout


def run(*command: str, check: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs a tool of the compiler. A missing one fails the test that needs it."""
    assert shutil.which(command[0]), f"{command[0]} is missing: .ci/run lists the packages"
    return subprocess.run(command, check=check, capture_output=True, text=True, env=environment())


def compile_command(
    program: Program, root: Path, source: Path, target: Path, headers: Precompiled
) -> list[str]:
    """hipcc on one source; a C file names its platform itself, as only C++ files become HIP."""
    is_c = source.suffix == ".c"
    language = ["-D__HIP_PLATFORM_AMD__", "-std=c11"] if is_c else ["-std=c++17"]
    includes = [f"-I{root / program.name / 'include'}"]
    for package in program.packages:
        includes += _output("pkg-config", "--cflags", package).split()
    if not is_c:
        language += [f"--offload-arch={name}" for name in TARGETS] + headers.on_the_device
    limits = ["-ferror-limit=0", "-Wno-unused-command-line-argument"]
    options = [*language, *limits, *includes]
    return ["hipcc", "-c", *options, str(source), "-o", str(target)]


def compiled(
    program: Program, root: Path, work: Path, headers: Precompiled
) -> tuple[list[Path], str]:
    """The objects of a program, and what the compiler said where it made none."""
    objects, said = [], ""
    for number, source in enumerate(program.sources(root)):
        target = work / f"{number}.o"
        process = run(*compile_command(program, root, source, target, headers))
        if process.returncode == 0:
            objects.append(target)
        else:
            said += process.stderr
    return objects, said


def kernels(program_object: Path, work: Path) -> dict[str, set[str]]:
    """The names of the kernels in an object, by target; without its templates' arguments."""
    bundle = work / "bundle"
    command = [
        llvm("llvm-objcopy"),
        f"--dump-section=.hip_fatbin={bundle}",
        str(program_object),
        os.devnull,
    ]
    if run(*command).returncode:
        return {}
    bundler = [llvm("clang-offload-bundler"), "--type=o", f"--input={bundle}"]
    listed = set(_output(*bundler, "--list").split())
    assert listed == {HOST_ID, *map(ENTRY_ID.format, TARGETS)}
    found = {}
    for target in TARGETS:
        code = work / target
        ids = f"--targets={HOST_ID},{ENTRY_ID.format(target)}"
        _output(*bundler, "--unbundle", ids, f"--output={work / 'host'}", f"--output={code}")
        assert _machine(code) == MACHINES[target]
        found[target] = _kernel_names(code)
    return found


def _machine(code_object: Path) -> int:
    header = _output(llvm("llvm-readelf"), "--file-header", str(code_object))
    flags = re.search(r"Flags:\s+(0x[0-9A-Fa-f]+)", header)
    assert flags, header
    return int(flags[1], 16) & 0xFF


def _kernel_names(code_object: Path) -> set[str]:
    # AMDGPUUsage, "Code Object Symbols": each kernel has its descriptor, an object `name.kd`.
    symbols = _output(llvm("llvm-readelf"), "--symbols", "--wide", str(code_object))
    mangled = re.findall(r"\bOBJECT\b.*\s(\S+)\.kd$", symbols, re.MULTILINE)
    plain = _output(llvm("llvm-cxxfilt"), *mangled).splitlines() if mangled else []
    return {re.split(r"[<(]", name)[0].split()[-1].rpartition("::")[2] for name in plain}


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return convert(tmp_path_factory.mktemp("converted"))


def convert(work: Path, *options: str) -> Path:
    """All programs, converted for the ROCm of the table's compiler."""
    output = work / "cuda"
    command = ["convert", str(FOLDER), "-o", str(output), "--rocm", table()["rocm"], *options]
    process = subprocess.run(
        [sys.executable, "-m", "hipport", *command],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode in (0, 1), process.stderr
    return output


def test_the_compiler_is_the_one_the_table_speaks_of() -> None:
    version = re.search(r"HIP version: (\d+\.\d+)", _output("hipcc", "--version"))
    assert version
    assert version[1] == table()["rocm"]


@pytest.mark.parametrize("program", COMPILING, ids=lambda program: program.name)
def test_it_compiles_to_device_code_for_both_targets(
    program: Program, converted: Path, tmp_path: Path, precompiled: Precompiled
) -> None:
    objects, said = compiled(program, converted, tmp_path, precompiled)
    assert said == ""
    found: dict[str, set[str]] = {target: set() for target in TARGETS}
    for each in objects:
        for target, names in kernels(each, tmp_path).items():
            found[target] |= names
    assert found == {target: set(program.kernels) for target in TARGETS}


@pytest.mark.parametrize("program", FAILING, ids=lambda program: program.name)
def test_what_does_not_compile_fails_for_the_reason_given(
    program: Program, converted: Path, tmp_path: Path, precompiled: Precompiled
) -> None:
    _, said = compiled(program, converted, tmp_path, precompiled)
    errors = set(re.findall(r"^\S+: (?:fatal )?error: (.*)$", said, re.MULTILINE))
    missing = {f"'{program.needs}' file not found"} if program.needs else set()
    assert errors == missing | set(program.errors)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return convert(tmp_path_factory.mktemp("kept"), "--launch", "keep")


@pytest.mark.parametrize("name", [name for name in programs() if name.startswith("launch_")])
def test_launches_compile_with_their_chevrons_kept(
    name: str, kept: Path, tmp_path: Path, precompiled: Precompiled
) -> None:
    _, said = compiled(programs()[name], kept, tmp_path, precompiled)
    assert said == ""


def test_renamed_files_compile_and_find_each_other(
    tmp_path: Path, precompiled: Precompiled
) -> None:
    program = programs()["multi_file"]
    root = convert(tmp_path, "--rename", ".cu=.hip", "--rename", ".cuh=.hip.h")
    sources = [path.name for path in program.sources(root)]
    assert sources == ["blur.hip", "main.cpp"]
    objects, said = compiled(program, root, tmp_path, precompiled)
    assert said == ""
    assert kernels(objects[0], tmp_path) == {target: {"box_blur"} for target in TARGETS}
