"""Converted projects configure with Debian's CMake, and build with Debian's HIP compiler."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.build_cases import CASES, BuildCase, convert_tree
from tests.support.debian_rocm import cmake_options, environment, make_root

pytestmark = pytest.mark.toolchain

WITH_CMAKE = [
    pytest.param(case, id=case.name) for case in CASES if case.build in ("cmake", "configure")
]
WITH_MAKE = [pytest.param(case, id=case.name) for case in CASES if case.build == "make"]
KINDS = ("executable", "shared_curand", "mixed", "rdc", "renamed")


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_root(tmp_path_factory.mktemp("rocm") / "rocm")


def run(command: list[str], folder: Path, env: Mapping[str, str]) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def kernels_of(path: Path) -> str:
    """The processors of the code objects in a program or library, by its section of bundles."""
    data = path.read_bytes()
    return " ".join(name for name in ("gfx90a", "gfx1030") if name.encode() in data)


@pytest.mark.parametrize("case", WITH_CMAKE)
def test_cmake(case: BuildCase, rocm: Path, tmp_path: Path) -> None:
    convert_tree(case, case.folder / "input", tmp_path / "src")
    env = environment(rocm)
    options = [] if case.targets else ["-DCMAKE_HIP_ARCHITECTURES=gfx90a"]
    configure = ["cmake", "-S", "src", "-B", "build", *options, *cmake_options(rocm)]
    said = run(configure, tmp_path, env)
    assert "The HIP compiler identification is Clang" in said
    assert "CMake Warning" not in said
    if case.build == "cmake":
        said = run(["cmake", "--build", "build", "--", "VERBOSE=1"], tmp_path, env)
        assert "Linking HIP" in said
        assert "--offload-arch=gfx90a" in said
        programs = [
            path
            for path in (tmp_path / "build").rglob("*")
            if path.is_file() and path.read_bytes()[:4] == b"\x7fELF" and path.suffix != ".o"
        ]
        assert any("gfx90a" in kernels_of(path) for path in programs)


@pytest.mark.parametrize("case", WITH_MAKE)
def test_make(case: BuildCase, rocm: Path, tmp_path: Path) -> None:
    convert_tree(case, case.folder / "input", tmp_path / "src")
    run(["make"], tmp_path / "src", environment(rocm))
    made = {name: kernels_of(tmp_path / "src" / name) for name in case.makes}
    assert made
    for name, kernels in made.items():
        wanted = "" if name == "app" and len(made) > 1 else " ".join(case.targets)
        assert kernels == wanted, name


def test_there_is_a_project_of_each_kind() -> None:
    names = {case.name for case in CASES if case.build}
    assert {f"{tool}_{kind}" for tool in ("cmake", "make") for kind in KINDS} <= names
    assert "cmake_findcuda" in names
