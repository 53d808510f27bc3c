"""The recipes for make, Meson, and Bazel build the example of the page, and only what changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.debian_rocm import environment, make_root
from tests.support.fetch import fetch

EXAMPLE = Path(__file__).parents[2] / "docs/examples/build-hip"
PAGE = EXAMPLE.parents[1] / "how-to/build-hip.md"
MESON = (
    "meson",
    "1.12.1",
    "meson-1.12.1-py3-none-any.whl",
    "930bc7542cbd9f57009e182fd014eba48cf1a0180a7b9006d2d32d8f168d8b02",
)


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    rocm = make_root(tmp_path_factory.mktemp("rocm") / "rocm")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    flags = f"--rocm-path={rocm} --offload-arch=gfx90a"
    return {
        **environment(rocm),
        "PATH": programs,
        "HIPFLAGS": flags,
        "HIPCC_COMPILE_FLAGS_APPEND": flags,
    }


def run(folder: Path, variables: dict[str, str], *command: str) -> list[str]:
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.splitlines()


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)
    path.touch()


@pytest.mark.parametrize("name", ["CMakeLists.txt", "Makefile", "meson.build", "BUILD.bazel"])
def test_the_page_has_the_files_of_the_example(name: str) -> None:
    assert f"{(EXAMPLE / name).read_text()}```\n" in PAGE.read_text()


@pytest.mark.toolchain
def test_make(variables: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "scale"
    shutil.copytree(EXAMPLE, folder)

    def made() -> list[str]:
        lines = run(folder, variables, "make")
        return sorted(each.split()[-1] for each in lines if each.startswith(("hipcc", "hipport")))

    conversion, app, scale = "build/converted.d", "build/hip/app.cpp", "build/hip/scale.cu"
    assert made() == [conversion, app, scale, "build/scale.cu.o"]
    assert b"gfx90a" in (folder / "build/app").read_bytes()
    assert made() == []
    append(folder / "src/scale.cuh", "")
    assert made() == [conversion]
    append(folder / "src/scale.cuh", "// changed\n")
    assert made() == [conversion, app, scale, "build/scale.cu.o"]
    append(folder / "src/scale.cu", "// changed\n")
    assert made() == [conversion, scale, "build/scale.cu.o"]
    assert made() == []


@pytest.mark.toolchain
@pytest.mark.real
def test_meson(variables: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "scale"
    shutil.copytree(EXAMPLE, folder)
    variables = {**variables, "PYTHONPATH": str(fetch(*MESON))}
    run(folder, variables, sys.executable, "-m", "mesonbuild.mesonmain", "setup", "build")

    def made() -> list[str]:
        lines = run(folder, variables, "ninja", "-C", "build")
        return [each.split()[2] for each in lines if "Generating" in each]

    assert sorted(made()) == ["app", "app.cpp", "converted", "scale.cu"]
    assert b"gfx90a" in (folder / "build/app").read_bytes()
    assert made() == []
    append(folder / "src/scale.cuh", "// changed\n")
    assert sorted(made()) == ["app", "app.cpp", "converted", "scale.cu"]
    assert made() == []


@pytest.mark.toolchain
@pytest.mark.slow
def test_bazel(variables: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "scale"
    shutil.copytree(EXAMPLE, folder)
    (folder / "WORKSPACE").touch()
    start = ("bazel", "--batch", f"--output_user_root={tmp_path / 'bazel'}", "--nohome_rc")
    passed_on = sorted(each for each in variables if each.startswith(("HIP", "ROCM", "DEVICE_")))
    given = (f"--action_env={each}" for each in passed_on)
    build = (*start, "build", "--noshow_progress", *given, "//:app")

    def is_made() -> bool:
        done = subprocess.run(
            build, cwd=folder, env=variables, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return " local" in done.stderr

    assert is_made()
    assert b"gfx90a" in (folder / "bazel-bin/app.bin").read_bytes()
    assert not is_made()
    append(folder / "src/scale.cuh", "// changed\n")
    assert is_made()
    assert not is_made()
