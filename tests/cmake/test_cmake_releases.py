"""The CMake package with the oldest release that it takes and the newest one, from the index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cmake.hip_project import Project, done, steps
from tests.support.debian_rocm import make_root
from tests.support.fetch import cache_folder

pytestmark = [pytest.mark.toolchain, pytest.mark.real, pytest.mark.slow]

OLDEST, NEWEST = "3.21.0", "4.4.4"


def cmake(version: str) -> Path:
    """The program, installed into the cache."""
    folder = cache_folder() / f"cmake-{version}"
    if not folder.is_dir():
        partial = folder.with_name(f"{folder.name}.{os.getpid()}.part")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        try:
            subprocess.run([*pip, "--target", partial, f"cmake=={version}"], check=True)
            partial.replace(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return folder / "cmake/data/bin/cmake"


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_only_what_changed_is_built_again(version: str, generator: str, tmp_path: Path) -> None:
    rocm = make_root(tmp_path / "rocm")
    project = Project(tmp_path / "scale", rocm, cmake=str(cmake(version)))
    if version == OLDEST:
        # It joins $HIPFLAGS to its own first flag, and names the folder of ROCm differently.
        project.variables.pop("HIPFLAGS")
        project.variables["ROCM_PATH"] = str(rocm)
        options = [f"-DCMAKE_HIP_COMPILER_TOOLKIT_ROOT={rocm}"]
    else:
        # Debian's packages of HIP ask for a CMake that is no more.
        options = ["-DCMAKE_POLICY_VERSION_MINIMUM=3.5"]
    done(project.configure(*options, generator=generator))
    assert len(steps(project.build())) == 6
    assert b"gfx90a" in (project.folder / "build/app").read_bytes()
    assert steps(project.build()) == []
    project.edit("src/scale.cuh", "int count", "int number")
    assert len(steps(project.build())) == 6
    assert steps(project.build()) == []
    (project.folder / "src/scale.cuh").rename(project.folder / "src/other.cuh")
    project.edit("src/app.cpp", "scale.cuh", "other.cuh")
    project.edit("src/scale.cu", "scale.cuh", "other.cuh")
    assert len(steps(project.build())) == 6
    assert steps(project.build()) == []
    done(project.run(project.cmake, "--install", "build"))
    assert (project.folder / "installed/usr/local/bin/app").is_file()
