"""The CMake package builds HIP from CUDA sources with Debian's tools, and only what changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cmake.hip_project import Project, done, steps
from tests.support.build_cases import FOLDER
from tests.support.debian_rocm import make_root

pytestmark = pytest.mark.toolchain

GENERATORS = ("Ninja", "Unix Makefiles")


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_root(tmp_path_factory.mktemp("rocm") / "rocm")


@pytest.fixture
def project(tmp_path: Path, rocm: Path) -> Project:
    return Project(tmp_path / "scale", rocm)


def object_of(project: Project, target: str, source: str) -> str:
    kind = "HIP" if source.endswith(".cu") else "CXX"
    place = f"hipport/{target}/src{project.folder}/src/{source}.o"
    return f"Building {kind} object CMakeFiles/{target}.dir/{place}"


@pytest.mark.parametrize("generator", GENERATORS)
def test_only_what_changed_is_built_again(project: Project, generator: str) -> None:
    said = done(project.configure(generator=generator))
    assert "CMake Warning" not in said
    assert len(steps(project.build())) == 6
    data = (project.folder / "build/app").read_bytes()
    assert b"gfx90a" in data and b"scale_kernel" in data
    assert steps(project.build()) == []

    (project.folder / "src/scale.cuh").touch()
    conversions = ["Converting app from CUDA to HIP", "Converting scale from CUDA to HIP"]
    assert steps(project.build()) == conversions
    assert steps(project.build()) == []

    project.edit("src/scale.cuh", "int count", "int number")
    assert steps(project.build()) == [
        object_of(project, "app", "app.cpp"),
        object_of(project, "scale", "scale.cu"),
        *conversions,
        "Linking HIP executable app",
        "Linking HIP static library libscale.a",
    ]
    assert steps(project.build()) == []

    project.edit("src/scale.cu", "*= factor", "+= factor")
    assert object_of(project, "app", "app.cpp") not in steps(project.build())
    assert steps(project.build()) == []


def test_ninja_says_that_there_is_nothing_to_do(project: Project) -> None:
    done(project.configure())
    done(project.build())
    assert "no work to do" in done(project.build())


def test_flags_and_libraries_are_those_of_hip(project: Project) -> None:
    done(project.configure("-DCMAKE_CUDA_FLAGS=-lineinfo -gencode arch=compute_80,code=sm_80"))
    said = done(project.build("--", "-v"))
    (compiled,) = (line for line in said.splitlines() if "-x hip -c" in line)
    for flag in ("-fcuda-approx-transcendentals", "-gline-tables-only", "--offload-arch=gfx90a"):
        assert f" {flag} " in compiled
    assert "use_fast_math" not in said and "compute_80" not in said
    assert "libamdhip64" in said


def test_the_compiler_names_the_lines_of_the_cuda_sources(project: Project) -> None:
    project.edit("src/scale.cu", "i < count", "i < missing")
    project.edit("src/scale.cuh", "int count, cudaStream_t", "int count, cudaSomething_t")
    done(project.configure())
    ran = project.build("--", "-k", "0")
    assert ran.returncode != 0
    source = project.folder / "src"
    assert f"{source}/scale.cu:5:11: error: use of undeclared identifier 'missing'" in ran.stdout
    assert f"{source}/scale.cuh:4:" in ran.stdout


def test_findings_are_printed_at_their_lines_and_can_fail_the_build(project: Project) -> None:
    project.edit("src/app.cpp", "int main() {", "int main() {\n  cudaCtxResetPersistingL2Cache();")
    done(project.configure("-DHIPPORT_WERROR=ON"))
    ran = project.build("--target", "app_hipport")
    assert ran.returncode != 0
    assert f"{project.folder}/src/app.cpp:4:3: warning: `cudaCtxResetPersist" in ran.stdout
    assert "[HP-API-001]" in ran.stdout and "HIPPORT_WERROR" in ran.stdout
    done(project.configure("-DHIPPORT_WERROR=OFF"))
    assert "[HP-API-001]" in done(project.build("--target", "app_hipport"))


def test_several_configurations_share_one_conversion(project: Project) -> None:
    done(project.configure(generator="Ninja Multi-Config"))
    made = steps(project.build("--config", "Release"))
    assert sum("Converting" in each for each in made) == 2
    again = steps(project.build("--config", "Debug"))
    assert again and not any("Converting" in each for each in again)
    done(project.run(project.cmake, "--install", "build", "--config", "Release"))
    assert (project.folder / "installed/usr/local/bin/app").is_file()


def test_a_header_that_goes_is_not_found_among_the_converted_ones(project: Project) -> None:
    done(project.configure())
    done(project.build())
    converted = project.folder / "build/hipport/app"
    assert (converted / "include/scale.cuh").is_file()
    project.edit("src/app.cpp", "#include <scale.cuh>", "#include <cuda_runtime.h>")
    project.edit("src/app.cpp", "  scale(values, 2, 1024, nullptr);\n", "")
    done(project.build())
    assert not (converted / "include/scale.cuh").exists()
    assert list(converted.rglob("scale.cuh")) == []


def test_what_cannot_be_done_is_said(project: Project) -> None:
    project.edit("CMakeLists.txt", "LANGUAGES CXX ${gpu}", "LANGUAGES CXX")
    ran = project.configure()
    assert ran.returncode != 0 and "HIP is not enabled" in ran.stdout
    project.edit("CMakeLists.txt", "LANGUAGES CXX", "LANGUAGES CXX HIP")
    project.edit("CMakeLists.txt", "project(scale", "add_library(none INTERFACE)\nproject(scale")
    project.edit("CMakeLists.txt", "TARGET app)", "TARGET none)")
    ran = project.configure()
    assert ran.returncode != 0 and "INTERFACE_LIBRARY has nothing to compile" in ran.stdout
    project.edit("CMakeLists.txt", "TARGET none)", "TARGET ap)")
    ran = project.configure()
    assert ran.returncode != 0 and "no target 'ap'" in ran.stdout


CASES = {
    "cmake_shared_curand": ("CMakeLists.txt", ["random", "app"], "librandom.so"),
    "cmake_rdc": ("CMakeLists.txt", ["apply"], "apply"),
    "cmake_mixed": ("src/CMakeLists.txt", ["kernels", "saxpy"], "src/saxpy"),
}


@pytest.mark.parametrize("name", CASES)
def test_projects_of_cuda(name: str, tmp_path: Path, rocm: Path) -> None:
    """Shared libraries with headers, device code in several files, lists of sources by pattern."""
    file, targets, made = CASES[name]
    project = Project(tmp_path / name, rocm, FOLDER / name / "input")
    top = project.folder / "CMakeLists.txt"
    text = re.sub(
        r"find_package\(CUDAToolkit.*\)", "find_package(hipport REQUIRED)", top.read_text()
    )
    text = re.sub(r"(project\(.*)CUDA\)", r"\1HIP)", text)
    if "hipport" not in text:
        text = text.replace("HIP)", "HIP)\nfind_package(hipport REQUIRED)")
    top.write_text(text)
    path = project.folder / file
    calls = "".join(f"\nhipport_target(TARGET {each})" for each in targets)
    # CMake asks whether the features of a language are known when they are named.
    path.write_text(path.read_text().replace(" cuda_std_14", "") + calls)
    done(project.configure())
    assert steps(project.build())
    assert b"gfx90a" in (project.folder / "build" / made).read_bytes()
    assert steps(project.build()) == []
