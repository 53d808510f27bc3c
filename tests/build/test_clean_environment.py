"""The wheel in an environment of its own builds the example of the page, as the page says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.debian_rocm import cmake_options, environment, make_root
from tests.support.folders import CHECKOUT

pytestmark = [pytest.mark.toolchain, pytest.mark.slow, pytest.mark.real]


def test_cmake_finds_the_package_and_its_program(tmp_path: Path) -> None:
    def run(*command: str | Path) -> str:
        done = subprocess.run(
            command, env=variables, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout[-3000:]
        return done.stdout

    rocm = make_root(tmp_path / "rocm")
    variables = {**environment(rocm), "PATH": "/usr/bin:/bin"}
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "wheel")
    (wheel,) = (tmp_path / "wheel").iterdir()
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    run(tmp_path / "venv/bin/pip", "install", "--quiet", wheel)
    package = run(tmp_path / "venv/bin/hipport", "cmake-dir").strip()

    source, build = tmp_path / "scale", tmp_path / "build"
    shutil.copytree(CHECKOUT / "docs/examples/build-hip", source)
    options = ["-DUSE_HIP=ON", "-DCMAKE_HIP_ARCHITECTURES=gfx90a", f"-Dhipport_DIR={package}"]
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, *options, *cmake_options(rocm))
    run("cmake", "--build", build)
    assert b"gfx90a" in (build / "app").read_bytes()
    assert "no work to do" in run("cmake", "--build", build)
    cache = (build / "CMakeCache.txt").read_text()
    assert f"HIPPORT_EXECUTABLE:FILEPATH={tmp_path}/venv/bin/hipport\n" in cache
