"""Host sources with HIP's headers are reported where no build file gives their compiler these."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

FIELD = "#pragma once\n#include <cuda_runtime.h>\nstruct Field { float* data; };\n"
MAIN = '#include <cstdio>\n#include "field.h"\nint main() { cudaDeviceSynchronize(); }\n'
STEP = '#include "field.h"\n__global__ void step(float* a) { a[threadIdx.x] = 0; }\n'
SOURCES = {"src/main.cpp": MAIN, "src/field.h": FIELD, "src/step.cu": STEP}

CMAKE = """project(heat LANGUAGES CXX CUDA)
add_library(field STATIC src/step.cu)
add_executable(heat src/main.cpp)
target_link_libraries(heat PRIVATE field)
"""
MAKE = """include config.mk
heat: src/main.o src/step.o
\t$(NVCC) -o $@ $^
%.o: %.cu
\t$(NVCC) $(NVCCFLAGS) -c $< -o $@
%.o: %.cpp
\t$(CXX) $(CXXFLAGS) -c $< -o $@
"""
CONFIG = "CXX = g++\nCXXFLAGS = -O3\nNVCC = nvcc\nNVCCFLAGS = -O3 -lineinfo\n"
BY_NVCC = MAKE.replace("$(CXX) $(CXXFLAGS)", "$(NVCC) $(NVCCFLAGS)")
IMPLICIT = MAKE.partition("%.o: %.cpp")[0]
GUARDED = "#pragma once\n#ifdef __CUDACC__\n#include <cuda_runtime.h>\n#endif\nstruct Field;\n"


def reported(folder: Path, files: dict[str, str]) -> list[tuple[str, int, str, str]]:
    make_tree(folder / "in", files)
    hipport("convert", "-o", "out", "in", "--report", "report.json", cwd=folder)
    report = json.loads((folder / "report.json").read_text())
    return [
        (each["path"], each["line"], each["symbol"], each["message"].partition(": ")[2].split()[0])
        for each in report["findings"]
        if each["code"] == "HP-BUILD-310"
    ]


@pytest.mark.parametrize(
    "builds, named",
    [
        ({"CMakeLists.txt": CMAKE}, "CMakeLists.txt"),
        ({"CMakeLists.txt": CMAKE.replace("src/main.cpp", "${SRC}") + "file(GLOB SRC src/*.cpp)\n"},
         "CMakeLists.txt"),
        ({"Makefile": MAKE, "config.mk": CONFIG}, "Makefile"),
        ({"Makefile": IMPLICIT, "config.mk": CONFIG}, "Makefile"),
        ({"Makefile": MAKE, "config.mk": CONFIG + "LIBS = -lcudart -lcublas\n"}, "Makefile"),
        # Each program of a folder has a makefile of its own.
        ({"src/Makefile": MAKE.replace("src/", ""), "config.mk": CONFIG,
          "other/Makefile": "CXXFLAGS += -I/usr/local/cuda/include\n"}, "src/Makefile"),
    ],
    ids=["cmake", "glob", "make", "implicit rule", "libraries alone", "another makefile"],
)  # fmt: skip
def test_no_build_file_gives_them(builds: dict[str, str], named: str, tmp_path: Path) -> None:
    assert reported(tmp_path, {**SOURCES, **builds}) == [("src/main.cpp", 2, "field.h", named)]


@pytest.mark.parametrize(
    "builds",
    [
        {"CMakeLists.txt": CMAKE + "target_link_libraries(field PUBLIC CUDA::cudart)\n"},
        {"CMakeLists.txt": CMAKE.replace("heat src/main.cpp", "heat src/main.cu")},
        {"CMakeLists.txt": CMAKE
         + "set_source_files_properties(src/main.cpp PROPERTIES LANGUAGE CUDA)\n"},
        {"CMakeLists.txt": CMAKE + "include_directories(${CUDAToolkit_INCLUDE_DIRS})\n"},
        {"CMakeLists.txt": "add_subdirectory(src)\nadd_subdirectory(lib)\n",
         "src/CMakeLists.txt": CMAKE.replace("src/", ""),
         "lib/CMakeLists.txt": "target_link_libraries(field PUBLIC CUDA::cudart)\n"},
        {"Makefile": MAKE, "config.mk": CONFIG + "CXXFLAGS += -I/usr/local/cuda/include\n"},
        {"Makefile": BY_NVCC, "config.mk": CONFIG},
        {"Makefile": IMPLICIT, "config.mk": CONFIG.replace("g++", "nvcc")},
        {"Makefile": "heat: main.cpp step.cu\n\tnvcc -o $@ $^\n"},
        {"Makefile": "heat:\n\thipcc -o heat main.cpp step.cu\n"},
        {"setup.py": "from setuptools import setup\nsetup()\n"},
        {},
    ],
    ids=["linked with the runtime", "not built", "compiled as HIP", "folder", "linked beside",
         "folder of make", "by nvcc", "nvcc as C++ compiler", "all by nvcc", "ported",
         "another build", "no build"],
)  # fmt: skip
def test_nothing_to_report(builds: dict[str, str], tmp_path: Path) -> None:
    assert reported(tmp_path, {**SOURCES, **builds}) == []


def test_what_host_compilers_leave_out(tmp_path: Path) -> None:
    sources = {**SOURCES, "src/field.h": GUARDED}
    assert reported(tmp_path, {**sources, "CMakeLists.txt": CMAKE}) == []
    guarded = MAIN.replace('#include "field.h"', '#ifdef __NVCC__\n#include "field.h"\n#endif')
    sources = {**SOURCES, "src/main.cpp": guarded}
    assert reported(tmp_path, {**sources, "CMakeLists.txt": CMAKE}) == []
