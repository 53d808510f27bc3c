"""What a tree that builds for AMD already has no manual findings about."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport import audit

HIP = "find_package(hip REQUIRED)\n"
CUDA = "set(CMAKE_CUDA_STANDARD 17)\n"
VERSION = "#if CUDART_VERSION >= 12000\nint new_enough;\n#endif\n"
SOURCE = "#include <cuda_runtime.h>\n#if __CUDA_ARCH__ >= 800\nint fast;\n#endif\n"


def found(folder: Path, files: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    """File -> the codes and severities of its findings."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result: dict[str, list[tuple[str, str]]] = {}
    for each in audit(folder).report.findings:
        result.setdefault(each.path, []).append((each.code, each.severity.word))
    return result


@pytest.mark.parametrize(
    ("project", "severity"),
    [("CMakeLists.txt", "review"), ("other/CMakeLists.txt", "manual"), ("README.md", "manual")],
)
def test_what_a_ported_project_answers(tmp_path: Path, project: str, severity: str) -> None:
    files = {project: HIP, "test/CMakeLists.txt": CUDA, "test/a.cpp": VERSION}
    result = found(tmp_path, files)
    assert result["test/CMakeLists.txt"] == [("HP-CMAKE-006", severity)]
    assert result["test/a.cpp"] == [("HP-GUARD-003", severity)]


def test_what_no_project_answers(tmp_path: Path) -> None:
    kernel = '__device__ void f(int *p) { asm volatile("prefetch.global.L2 [%0];" :: "l"(p)); }\n'
    result = found(tmp_path, {"CMakeLists.txt": HIP, "k.cu": kernel})
    assert "review" not in dict(result["k.cu"]).values()


@pytest.mark.parametrize("port", ["hip", "rocm"])
def test_a_folder_for_nvidia_beside_its_port(tmp_path: Path, port: str) -> None:
    files = {
        "system/cuda/cuda_error.cpp": SOURCE,
        "system/cuda/copy.cu": SOURCE,
        "system/cuda/only.cu": SOURCE,
        f"system/{port}/{port}_error.cpp": "",
        f"system/{port}/copy.hip": "",
    }
    assert found(tmp_path, files) == {}


def test_a_folder_beside_another_that_has_little_of_it(tmp_path: Path) -> None:
    files = {
        "aten/cuda/error.cu": SOURCE,
        "aten/cuda/copy.cu": SOURCE,
        "aten/cuda/sort.cu": SOURCE,
        "aten/hip/error.hip": "",
    }
    assert sorted(found(tmp_path, files)) == [name for name in sorted(files) if "cuda" in name]


def test_classes_that_moved_and_that_the_tree_declares(tmp_path: Path) -> None:
    use = "#include <hipcub/hipcub.hpp>\nhipcub::TransformInputIterator<int> i;\n"
    own = "#include <hip/hip_runtime.h>\nnamespace hipcub {\nclass TransformInputIterator {};\n}\n"
    assert ("HP-HIP-001", "manual") in found(tmp_path, {"a.cpp": use})["a.cpp"]
    assert "a.cpp" not in found(tmp_path, {"iterator.hpp": own, "a.cpp": use})


def test_names_that_moved_and_that_the_tree_defines(tmp_path: Path) -> None:
    use = "#include <hip/hip_runtime.h>\nint lanes = ROCPRIM_WAVEFRONT_SIZE;\n"
    own = "#include <hip/hip_runtime.h>\n#define ROCPRIM_WAVEFRONT_SIZE 64\n"
    assert found(tmp_path, {"a.hip": use}) == {"a.hip": [("HP-HIP-001", "manual")]}
    assert found(tmp_path, {"config.hpp": own, "a.hip": use}) == {}
    mentioned = f"// before 7.0:\n/*\n{own}*/\n"
    result = found(tmp_path / "mentioned", {"config.hpp": mentioned, "a.hip": use})
    assert result == {"a.hip": [("HP-HIP-001", "manual")]}


def test_a_macro_that_is_only_asked_about(tmp_path: Path) -> None:
    asked = "#include <cub/cub.cuh>\n#ifdef CUB_RUNTIME_ENABLED\n#endif\nint f();\n"
    used = "#include <cub/cub.cuh>\n#if CUB_RUNTIME_ENABLED > 1\n#endif\nint f();\n"
    result = found(tmp_path, {"asked.cu": asked, "used.cu": used})
    assert ("HP-API-001", "review") in result["asked.cu"]
    assert ("HP-API-001", "manual") in result["used.cu"]
