"""A CMake project of CUDA that is configured and built as HIP, with Debian's tools."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.command import hipport
from tests.support.debian_rocm import cmake_options, environment
from tests.support.folders import CHECKOUT

PROJECT = CHECKOUT / "docs/examples/build-hip"


class Project:
    """A copy of a folder, put into a place of the project."""

    def __init__(
        self,
        folder: Path,
        rocm: Path,
        original: Path = PROJECT,
        *,
        place: str = "",
        cmake: str = "cmake",
    ) -> None:
        self.folder = folder
        self.rocm = rocm
        self.cmake = cmake
        self.variables = {**environment(rocm), "DESTDIR": str(folder / "installed")}
        shutil.copytree(original, folder / place)

    def configure(
        self, *options: str, generator: str = "Ninja"
    ) -> subprocess.CompletedProcess[str]:
        package = hipport("cmake-dir", cwd=self.folder).out.strip()
        return self.run(
            *(self.cmake, "-S", ".", "-B", "build", "-G", generator, "-DUSE_HIP=ON"),
            *("-DCMAKE_HIP_ARCHITECTURES=gfx90a", f"-Dhipport_DIR={package}"),
            f"-DHIPPORT_EXECUTABLE={Path(sys.executable).with_name('hipport')}",
            *cmake_options(self.rocm),
            *options,
        )

    def build(self, *options: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.cmake, "--build", "build", *options)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


def done(ran: subprocess.CompletedProcess[str]) -> str:
    assert ran.returncode == 0, ran.stdout[-4000:]
    return ran.stdout


def steps(ran: subprocess.CompletedProcess[str]) -> list[str]:
    """What was converted, compiled or linked."""
    words = ("Converting", "Building", "Linking")
    return sorted(
        line.partition("] ")[2] for line in done(ran).splitlines() if any(w in line for w in words)
    )
