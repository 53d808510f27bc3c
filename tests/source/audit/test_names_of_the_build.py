"""Targets and switches that a tree's CMake files declare are its own, whatever they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited
from tests.support.command import make_tree

LINKING = "target_link_libraries(waves PRIVATE CUDA_LIB)\n"
SOURCE = """#include "waves.h"
#if CUDA_WAVES_ENABLED
int waves() { return cuda_waves(); }
#endif
"""


def places(folder: Path, files: dict[str, str], code: str) -> list[str]:
    make_tree(folder, files)
    found = [each for each in audited(folder) if each.code == code]
    return [f"{Path(each.path).name}:{each.start.line} {each.symbol}" for each in found]


def test_a_target_of_the_tree(tmp_path: Path) -> None:
    files = {"CMakeLists.txt": LINKING}
    assert places(tmp_path / "lib", files, "HP-NET-001") == ["CMakeLists.txt:1 CUDA_LIB"]
    own = {**files, "cuda/CMakeLists.txt": "add_library(CUDA_LIB STATIC waves.cpp)\n"}
    assert places(tmp_path / "own", own, "HP-NET-001") == []


def test_a_variable_of_the_tree(tmp_path: Path) -> None:
    files = {"cuda/CMakeLists.txt": "include_directories(${CUDA_WAVES_INCLUDE_DIRS})\n"}
    found = ["CMakeLists.txt:1 ${CUDA_WAVES_INCLUDE_DIRS}"]
    assert places(tmp_path / "none", files, "HP-CMAKE-012") == found
    own = {**files, "CMakeLists.txt": 'set(CUDA_WAVES_INCLUDE_DIRS "${HERE}/waves")\n'}
    assert places(tmp_path / "own", own, "HP-CMAKE-012") == []
    files = {"a/CMakeLists.txt": "target_link_libraries(a ${CUDA_WAVES_LIBRARY})\n"}
    copied = {**files, "CMakeLists.txt": "set(CUDA_WAVES_LIBRARY ${_WAVES_LIBRARY})\n"}
    found = ["CMakeLists.txt:1 ${CUDA_WAVES_LIBRARY}"]
    assert places(tmp_path / "found", copied, "HP-CMAKE-012") == found


def test_a_library_is_no_target_of_the_tree(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": "find_library(RUNTIME cudart)\n",
        "copy/CMakeLists.txt": "add_library(cudart INTERFACE)\n",
    }
    assert places(tmp_path, files, "HP-CMAKE-012") == ["CMakeLists.txt:1 cudart"]


def test_a_target_with_a_namespace(tmp_path: Path) -> None:
    files = {"CMakeLists.txt": "target_link_libraries(waves PRIVATE sea::waves_cuda)\n"}
    found = ["CMakeLists.txt:1 sea::waves_cuda"]
    assert places(tmp_path / "others", files, "HP-NET-001") == found
    own = {**files, "sea/CMakeLists.txt": "add_library(sea::waves_cuda ALIAS waves_cuda)\n"}
    assert places(tmp_path / "own", own, "HP-NET-001") == []


def test_a_switch_of_the_tree(tmp_path: Path) -> None:
    named = {"waves.cpp": SOURCE}
    found = ["waves.cpp:2 CUDA_WAVES_ENABLED"]
    assert places(tmp_path / "none", named, "HP-API-002") == found
    defined = "target_compile_definitions(waves PRIVATE CUDA_WAVES_ENABLED=1)\n"
    own = {**named, "CMakeLists.txt": defined}
    assert places(tmp_path / "own", own, "HP-API-002") == []
    option = {**named, "CMakeLists.txt": "add_definitions(-DCUDA_WAVES_ENABLED)\n"}
    assert places(tmp_path / "option", option, "HP-API-002") == []
    made = {**named, "Makefile": "CXXFLAGS += -DCUDA_WAVES_ENABLED\n"}
    assert places(tmp_path / "made", made, "HP-API-002") == []
    setup = "define_macros += [('CUDA_WAVES_ENABLED', '1')]\n"
    assert places(tmp_path / "python", {**named, "setup.py": setup}, "HP-API-002") == []


def test_a_value_that_the_build_gives_may_be_about_the_gpu(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": "add_definitions(-DCUDA_WAVES_ENABLED=${ARCHITECTURE})\n",
        "waves.cpp": SOURCE,
    }
    assert places(tmp_path, files, "HP-API-002") == ["waves.cpp:2 CUDA_WAVES_ENABLED"]


def test_a_macro_of_setup_py_stays_and_a_switch_that_a_source_tests(tmp_path: Path) -> None:
    setup = "macros = []\nif cuda:\n    macros += [('WITH_CUDA', None)]\n"
    files = {"setup.py": setup, "waves.cpp": "// WITH_CUDA\nint waves() { return 0; }\n"}
    assert places(tmp_path / "macro", files, "HP-NET-002") == []
    files["setup.py"] = "macros = []\nif cuda:\n    switch('WITH_CUDA', True)\n"
    assert places(tmp_path / "none", files, "HP-NET-002") == ["setup.py:3 WITH_CUDA"]
    own = {**files, "waves.h": "#pragma once\n#if defined(WITH_CUDA)\nint cuda_waves();\n#endif\n"}
    assert places(tmp_path / "own", own, "HP-NET-002") == []


def test_a_macro_that_another_file_of_python_hands_to_the_compiler(tmp_path: Path) -> None:
    build = "from torch.utils.cpp_extension import load\nflags = []\nflags.append('-DWITH_CUDA')\n"
    files = {"ours/build.py": build, "waves.cpp": "int waves() { return 0; }\n"}
    assert places(tmp_path / "none", files, "HP-NET-002") == ["build.py:3 -DWITH_CUDA"]
    own = {**files, "waves.h": "#pragma once\n#ifdef WITH_CUDA\nint cuda_waves();\n#endif\n"}
    assert places(tmp_path / "own", own, "HP-NET-002") == []


def test_a_header_of_the_samples_that_the_tree_has(tmp_path: Path) -> None:
    files = {"waves.cu": '#include "helper_cuda.h"\n'}
    assert places(tmp_path / "none", files, "HP-INC-002") == ["waves.cu:1 helper_cuda.h"]
    own = {**files, "helper_cuda.h": "int waves();\n"}
    assert places(tmp_path / "own", own, "HP-INC-002") == []


def test_a_function_in_fortran_and_a_macro_of_a_written_header(tmp_path: Path) -> None:
    source = (
        "#include <cuda_runtime.h>\n"
        "int f() { return cufftNameOf(1); }\n"
        "const char *id = CUDA_WAVES_BUILD_ID;\n"
    )
    found = ["waves.cpp:2 cufftNameOf", "waves.cpp:3 CUDA_WAVES_BUILD_ID"]
    assert places(tmp_path / "others", {"waves.cpp": source}, "HP-API-002") == found
    declared = (
        'interface\n  function cufftNameOf(code) bind(C, name="cufftNameOf")\nend interface\n'
    )
    files = {"waves.cpp": source, "waves.F90": declared}
    assert places(tmp_path / "declared", files, "HP-API-002") == found
    own = {
        "waves.cpp": source,
        "waves.F90": "contains\n  pure function cufftNameOf(code) result(name)\n  end function\n",
        "CMakeLists.txt": 'file(WRITE id.h "#pragma once\\n#define CUDA_WAVES_BUILD_ID 7\\n")\n',
    }
    assert places(tmp_path / "own", own, "HP-API-002") == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("self.framework.addDefine('__HIP_PLATFORM_HCC__', 1)\n", []),
        ("flags = ['-D__HIP_PLATFORM_HCC__=1']\n", []),
        ('macros = [("__HIP_PLATFORM_HCC__", None)]\n', []),
        ("wanted = '__HIP_PLATFORM_HCC__'\n", ["a.hpp:2 __HIP_PLATFORM_HCC__"]),
        ("macros = [('__HIP_PLATFORM_AMD__', None)]\n", ["a.hpp:2 __HIP_PLATFORM_HCC__"]),
    ],
)
def test_a_macro_of_hip_that_a_configuration_in_python_defines(
    tmp_path: Path, text: str, lines: list[str]
) -> None:
    header = "#include <hip/hip_runtime.h>\n#if defined(__HIP_PLATFORM_HCC__)\nint on;\n#endif\n"
    files = {"config/hip.py": text, "a.hpp": header}
    assert places(tmp_path, files, "HP-HIP-001") == lines
