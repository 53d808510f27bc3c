"""Findings about what no rule knows: only where nothing else speaks, and one for a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.model import Finding
from tests.support.auditing import audited

HIPCC = "project(ours LANGUAGES CXX)\nenable_language(HIP)\n"


def codes(found: list[Finding], path: str) -> list[tuple[int, str]]:
    return [(each.start.line, each.code) for each in found if each.path == path]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        # A line that a rule speaks of has no other finding, the next one has.
        (
            "build.sh",
            "nvcc -c a.cu\nmake cudss\n",
            [(1, "HP-MAKE-001"), (2, "HP-NET-001")],
        ),
        # What conversion changes needs nobody.
        (
            "CMakeLists.txt",
            "find_package(CUDAToolkit)\ninclude_directories(${CUDAToolkit_INCLUDE_DIRS})\n",
            [(1, "HP-CMAKE-004")],
        ),
        (
            "tune.py",
            'if capability[0] >= 8:\n    tool = "nvprune"\n',
            [(1, "HP-NET-002"), (2, "HP-NET-002")],
        ),
        # What a test expects is not what runs.
        ("test_tune.py", 'tool = "nvprune"\n', []),
        ("latest_tune.py", 'tool = "nvprune"\n', [(1, "HP-NET-002")]),
        # Nor is what stands for a device there, or a stub of types.
        ("_mock_tune.py", 'tool = "nvprune"\nclass Device:\n    warp_size: int = 32\n', []),
        ("tune.pyi", 'tool = "nvprune"\n', []),
        (
            "mocked_tune.py",
            'tool = "nvprune"\nclass Device:\n    warp_size: int = 32\n',
            [(1, "HP-NET-002"), (3, "HP-PY-075")],
        ),
        # Of two nets the one that says more.
        ("Dockerfile", "ENV NVPROF_PACKAGE=cuda-nvprof-12-6\n", [(1, "HP-NET-004")]),
        ("a.c", 'const char* name = "libnvcuvid.so.1";\n', [(1, "HP-NET-003")]),
    ],
)
def test_only_where_nothing_else_speaks(
    tmp_path: Path, name: str, text: str, expected: list[tuple[int, str]]
) -> None:
    (tmp_path / name).write_text(text)
    assert codes(audited(tmp_path), name) == expected


def test_a_project_for_amd_has_notes(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(HIPCC)
    (tmp_path / "build.sh").write_text("make cudss\n")
    assert codes(audited(tmp_path), "build.sh") == [(1, "HP-PORT-002")]


def test_a_module_of_the_tree_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "ours_cuda").mkdir()
    (tmp_path / "ours_cuda/__init__.py").write_text("")
    (tmp_path / "main.py").write_text("import ours_cuda\nimport theirs_cuda\n")
    assert codes(audited(tmp_path), "main.py") == [(2, "HP-NET-005")]


def test_what_a_test_expects_is_not_what_runs(tmp_path: Path) -> None:
    path = tmp_path / "tests" / "ours" / "tune.py"
    path.parent.mkdir(parents=True)
    path.write_text('tool = "nvprune"\n')
    assert audited(tmp_path) == []


def test_a_gpu_that_a_test_makes_up_is_no_name_to_compare(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    text = 'assert told(gpu_name="RTX 4090")\n'
    for each in ("tests/test_told.py", "told.py"):
        (tmp_path / each).write_text(text)
    found = audited(tmp_path)
    assert codes(found, "tests/test_told.py") == []
    assert codes(found, "told.py") == [(1, "HP-PY-063")]


def test_a_kernel_that_a_test_gives_away_is_tried_there(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    text = 'parse("__global__ void f(float* x) { x[0] = __shfl_sync(~0u, x[0], 0); }")\n'
    for each in ("tests/test_parse.py", "write.py"):
        (tmp_path / each).write_text(text)
    found = audited(tmp_path)
    assert codes(found, "tests/test_parse.py") == [(1, "HP-PY-085")]
    assert codes(found, "write.py") == [(1, "HP-PY-094"), (1, "HP-PY-085")]


def test_a_device_that_a_test_makes_up_has_no_limits(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    text = (
        "# CUDA\n"
        "device.regsPerMultiprocessor = 65536\n"
        'kernel = Kernel(ptx=".version 7.0")\n'
        "AMPERE_SMEM = 166912\n"
        'assert "torch==2.12.1+cu129" in lock\n'
    )
    for each in ("tests/test_limits.py", "limits.py"):
        (tmp_path / each).write_text(text)
    found = audited(tmp_path)
    assert codes(found, "tests/test_limits.py") == [(4, "HP-PY-096")]
    assert codes(found, "limits.py") == [(2, "HP-PY-096"), (3, "HP-PY-069"), (4, "HP-PY-096")]


def test_a_release_that_a_test_gives_is_not_compared(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    for each in ("tests/test_search.py", "search.py"):
        (tmp_path / each).write_text('found = search(\n    min_cuda_version="12.4",\n)\n')
    found = audited(tmp_path)
    assert codes(found, "tests/test_search.py") == []
    assert codes(found, "search.py") == [(2, "HP-PY-081")]


def test_what_an_option_is_said_to_be_for_has_no_flags(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        'option(SANITIZE "Build device code with -G and -use_fast_math" OFF)\n'
        'set(THREADS 1 CACHE STRING "nvcc --threads (per-.cu parallelism)")\n'
        'set(FLAGS "-use_fast_math" CACHE STRING "Flags")\n'
    )
    found = audited(tmp_path)
    assert [each for each in codes(found, "CMakeLists.txt") if "MAKE" in each[1]] == [
        (3, "HP-MAKE-003")
    ]


def test_a_description_in_yaml_names_nothing_to_port(tmp_path: Path) -> None:
    text = (
        "name: default\n"
        "description: >\n"
        "  Measures CUDA kernels on NVIDIA's GPUs.\n"
        "inputs:\n"
        "  release:\n"
        "    description: CUDA version\n"
        '    default: "12.4"\n'
        "image: nvidia/thing\n"
    )
    (tmp_path / "default.yaml").write_text(text)
    found = audited(tmp_path)
    assert [line for line, _ in codes(found, "default.yaml")] == [8]
