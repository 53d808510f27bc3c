"""What clang is told of a source by CMake files and makefiles."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.source.tree.task_list import Wishes, plan
from hipport.verification.build_settings import Builds, build_files
from hipport.verification.model import Unit
from hipport.verification.units import find_units
from tests.support.command import hipport, make_tree

CMAKE = {
    "folders and macros of a target, for its sources only": (
        {
            "CMakeLists.txt": "project(p)\nadd_library(t a.cu)\nadd_library(u b.cu)\n"
            "target_include_directories(t PRIVATE inc)\ntarget_include_directories(\n"
            "  t SYSTEM PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/pub)\n"
            "target_compile_definitions(t PRIVATE A=1 -DB)\n",
            "b.cu": "",
        },
        "-I/inc -I/pub -DA=1 -DB",
    ),
    "what a linked target tells those that link it": (
        {
            "CMakeLists.txt": "add_library(t a.cu)\nadd_library(n INTERFACE)\nadd_library(m x.cu)\n"
            "target_link_libraries(t PRIVATE m)\ntarget_link_libraries(m PUBLIC p::n)\n"
            "target_include_directories(n INTERFACE n)\n"
            "target_compile_definitions(m PRIVATE M PUBLIC P INTERFACE I)\n",
            "x.cu": "",
        },
        "-DP -DI -I/n",
    ),
    "variables, lists, and folders above": (
        {
            "CMakeLists.txt": "set(N n)\nset(DIRS inc ${PROJECT_SOURCE_DIR}/two)\n"
            "list(APPEND DIRS three)\n"
            "include_directories(${DIRS})\nadd_definitions(-DX=2 -Wall)\n"
            'add_compile_definitions(Y="${N}")\nset(CMAKE_CXX_STANDARD 20)\n'
            "add_subdirectory(src)\n",
            "src/CMakeLists.txt": "file(GLOB SOURCES *.cu)\nadd_executable(e ${SOURCES})\n"
            "target_include_directories(e PRIVATE .)\n",
            "src/a.cu": "",
        },
        '-I/src -I/inc -I/two -I/three -DX=2 -DY="n" -std=gnu++20',
    ),
    "the standard of HIP before that of C++": (
        {
            "CMakeLists.txt": "set(CMAKE_CXX_STANDARD 14)\nset(CMAKE_HIP_STANDARD 17)\n"
            "hip_add_executable(e a.cu)\n"
        },
        "-std=gnu++17",
    ),
    "a standard that is a feature or property of a target": (
        {
            "CMakeLists.txt": "add_library(t a.cu)\ntarget_compile_features(t PUBLIC cxx_std_11)\n"
            "set_target_properties(t PROPERTIES CXX_STANDARD 20 CXX_EXTENSIONS OFF)\n"
        },
        "-std=gnu++20",
    ),
    "a feature that is older than the compiler's standard asks for nothing": (
        {"CMakeLists.txt": "add_library(t a.cu)\ntarget_compile_features(t PUBLIC cxx_std_11)\n"},
        "",
    ),
    "flags of nvcc, generator expressions, flags of other languages": (
        {
            "CMakeLists.txt": 'set(CMAKE_HIP_FLAGS "${CMAKE_HIP_FLAGS} -DH -Xcompiler -fopenmp")\n'
            'set(CMAKE_C_FLAGS "-DC")\nadd_library(t a.cu)\n'
            "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-DCPP>\n"
            "  $<$<COMPILE_LANGUAGE:HIP,CUDA>:-DGPU -O3>)\n"
            "target_include_directories(t PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/b>\n"
            "  $<INSTALL_INTERFACE:include>)\n"
        },
        "-DGPU -I/b -DH -fopenmp",
    ),
    "conditions, options that are for GPUs, what the user may set": (
        {
            "CMakeLists.txt": "option(USE_CUDA off OFF)\noption(FAST fast)\nset(N 3)\n"
            "if  (USE_CUDA AND (NOT (FAST OR WIN32)))\n  add_definitions(-DYES)\n"
            "elseif(TRUE)\n  add_definitions(-DNO)\nendif()\n"
            "if(N EQUAL 3 AND DEFINED N AND NOT MSVC AND N IN_LIST N)\n"
            "  add_definitions(-DTHREE)\nelse()\n"
            "  add_definitions(-DOTHER)\nendif()\nif(DEBUG)\n  add_definitions(-DDEBUG)\nendif()\n"
        },
        "-DYES -DTHREE",
    ),
    "a file that includes itself": (
        {
            "CMakeLists.txt": "include(own.cmake)\nadd_definitions(-DY)\nadd_library(t a.cu)\n",
            "own.cmake": "add_definitions(-DX)\ninclude(own.cmake)\ninclude(own.cmake)\n",
        },
        "-DX -DY",
    ),
    "loops, and functions of the project's own in files that it includes": (
        {
            "CMakeLists.txt": "list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)\n"
            "include(Own)\nadd_library(t a.cu)\ntell(t A B)\nif(WHO STREQUAL t)\n"
            "  add_definitions(-DWHO)\nendif()\n",
            "cmake/Own.cmake": "function(tell name)\n  foreach(each IN ITEMS ${ARGN})\n"
            "    target_compile_definitions(${name} PRIVATE M_${each})\n  endforeach()\n"
            "  set(WHO ${name} PARENT_SCOPE)\n  return()\n"
            "  add_definitions(-DLATE)\nendfunction()\n",
        },
        "-DM_A -DM_B -DWHO",
    ),
    "a definition whose value has blanks is left out whole": (
        {
            "CMakeLists.txt": 'set(N "A=namespace a {" "B=}")\nadd_library(t a.cu)\n'
            "target_compile_definitions(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${N}> C=1)\n"
        },
        "-DC=1",
    ),
    "a source that no target names gets the folders of those beside it": (
        {
            "CMakeLists.txt": "add_library(t b.cu)\ntarget_include_directories(t PRIVATE inc)\n"
            "target_compile_definitions(t PRIVATE A)\nadd_definitions(-DALL)\n"
        },
        "-I/inc -DALL",
    ),
    "blocks nested deeply": (
        {"CMakeLists.txt": "if(X_FOUND)\n" * 3000 + "endif()\n" * 3000 + "add_definitions(-DX)\n"},
        "-DX",
    ),
    "what is not a CMake file": ({"CMakeLists.txt": "}{ if(\0\nadd_definitions(-DX"}, ""),
    "files that are searched for again and again": (
        {
            "CMakeLists.txt": "foreach(a " + "x " * 300 + ")\nforeach(b " + "x " * 300 + ")\n"
            "file(GLOB_RECURSE S *.cu)\nlist(APPEND L ${S} ${L})\nendforeach()\nendforeach()\n"
            "add_definitions(-DX)\n"
        },
        "",
    ),
    "a function that calls itself, and a value that grows": (
        {
            "CMakeLists.txt": "function(f)\n  f()\n  f()\nendfunction()\nf()\nset(A aaaaaaaaaa)\n"
            + "set(A ${A}${A}${A}${A})\n" * 40
            + "add_definitions(-DX)\n"
        },
        "",
    ),
}
MAKE = {
    "the variables that hold flags, nvcc's of GPU sources": (
        {
            "Makefile": "SRC_DIR := src\nINCLUDES = -I$(SRC_DIR)/inc -isystem ${EXTRA}\nEXTRA=ext\n"
            "NVCCFLAGS += -arch=sm_80 -Xcompiler -fopenmp -DN=1 -std=c++17\nCFLAGS = -DC -std=c99\n"
            "%.o: %.cu\n\thipcc $(NVCCFLAGS) -DR $(INCLUDES) -c $< -o $@\n"
        },
        "-I/src/inc -isystem /ext -fopenmp -DN=1 -std=c++17 -DR -isystem /ext",
    ),
    "conditions, and what counts for one target": (
        {
            "Makefile": "CXXFLAGS = -DA\nifeq ($(DEBUG),1)\nCXXFLAGS += -DDEBUG\nelse\n"
            "CXXFLAGS += -DRELEASE\nendif\nifdef USE_CUDA\nCXXFLAGS+=-DGPU\nendif\n"
            "ifneq ($(shell uname),Linux)\nCXXFLAGS += -DODD\nendif\ntest: CXXFLAGS += -DTEST\n"
        },
        "-DA -DRELEASE -DGPU",
    ),
    "an else with what is no condition behind it": (
        {
            "Makefile": "CXXFLAGS = -DA\nifeq ($(shell uname),Linux)\nelse endif\n"
            "CXXFLAGS += -DB\nendif\nCXXFLAGS += -DC\n"
        },
        "-DA -DC",
    ),
    "functions of make that need no shell": (
        {
            "Makefile": "HERE := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))\n"
            "DIRS = one two\nINCS = $(addprefix -I,$(DIRS)) $(DIRS:%=-I$(HERE)%/x)\n"
            "INCS += $(patsubst %,-I%,$(wildcard *)) -I$(CUDA_HOME)/include -I$(shell pwd)\n"
        },
        "-I/one -I/two -I/one/x -I/two/x",
    ),
    "files that are included, and the makefile above": (
        {
            "Makefile": "include mk/*.mk\n-include mk/flags.mk\n",
            "mk/flags.mk": "CPPFLAGS ?= -DX\nCPPFLAGS ?= -DY\ninclude ../Makefile\n",
            "sub/Makefile": "all:\n\techo\n",
            "sub/a.cu": "",
        },
        "-DX",
    ),
    "references that double": (
        {
            "Makefile": "A0 =\n"
            + "".join(f"A{n + 1} = $(A{n})$(A{n})\n" for n in range(29))
            + "INC = $(A29)\nOPTS = -DX\n"
        },
        "-DX",
    ),
    "a macro with two values": ({"Makefile": "INC = -DA=1 -DB\nOPTS = -DA=2\n"}, "-DB"),
    "a variable that is made of itself": (
        {"Makefile": "A = $(B)$(B)\nB = $(A)\nINC = -D$(A)\n"},
        "",
    ),
}


def arguments(root: Path, files: dict[str, str]) -> tuple[str, list[str]]:
    """What is told of a.cu, and what was left out; the root is nothing."""
    source = next((name for name in files if name.endswith("a.cu")), "a.cu")
    make_tree(root, {"a.cu": "", **files})
    builds = Builds({each for each in root.rglob("*") if each.is_file()})
    found = " ".join(builds.arguments(root / source))
    return found.replace(str(root), ""), [each.replace(str(root), "") for each in builds.lines()]


def unit(root: Path) -> Unit:
    tasks = plan([str(root)], Wishes(writes=False), pytest.fail)
    return next(find_units(tasks, ()))


@pytest.mark.parametrize(("files", "expected"), CMAKE.values(), ids=CMAKE)
def test_cmake(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    assert arguments(tmp_path, files)[0] == expected


@pytest.mark.parametrize(("files", "expected"), MAKE.values(), ids=MAKE)
def test_make(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    assert arguments(tmp_path, files)[0] == expected


def test_what_was_left_out_is_told(tmp_path: Path) -> None:
    text = (
        "add_library(t a.cu)\nfind_package(Foo)\nif(Foo_FOUND)\n  add_definitions(-DFOO)\nendif()\n"
    )
    text += "include_directories(${Foo_INCLUDE_DIRS} ok)\n"
    found, left = arguments(tmp_path, {"CMakeLists.txt": text})
    why = "is left out: its value, or whether it counts, is unknown"
    assert found == "-I/ok"
    assert unit(tmp_path).unknown == {"FOO"}
    assert left == [
        f"/CMakeLists.txt:4: -DFOO {why}",
        f"/CMakeLists.txt:6: -I${{Foo_INCLUDE_DIRS}} {why}",
    ]


PIECES = (
    "if(A", "elseif(", "else()", "endif()", "foreach(", "endforeach()", "function(f x)", "f(a)",
    "endfunction()", "set(A ${A} b)", "list(APPEND A", ")", "(", " NOT", " AND", "\n", "${",
    "}", "$(", "ifeq ", "else ifdef A", "endif", "A = $(A:%=", "$(patsubst a,b", "INC=-I$(",
    "\t$(CXX) -D", "define X", ":=", "+=", "include Makefile", "include(CMakeLists.txt)",
    "add_subdirectory(.)", "target_sources(", "set_property(", "add_library(t a.cu)",
    "target_compile_features(t cxx_std_", "$<", ">", ";", "\\", '"', "string(TOUPPER",
    "file(GLOB", "\0", "ä",
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(("", "\n", " ")))
def test_no_text_breaks_them(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    with TemporaryDirectory() as folder:
        root = make_tree(Path(folder), {"a.cu": "", "Makefile": text, "CMakeLists.txt": text})
        Builds({root / name for name in ("a.cu", "CMakeLists.txt")}).arguments(root / "a.cu")
        Builds({root / name for name in ("a.cu", "Makefile")}).arguments(root / "a.cu")


def test_the_build_files_beside_a_file_that_is_named(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": "", "Makefile": "", "CMakeLists.txt": "", "b.cu": ""})
    found = build_files([tmp_path / "a.cu"])
    assert {each.name for each in found} == {"a.cu", "Makefile", "CMakeLists.txt"}


@pytest.mark.toolchain
def test_verify_uses_them_and_tells(tmp_path: Path) -> None:
    make_tree(
        tmp_path,
        {
            "src/CMakeLists.txt": "find_package(X)\nadd_library(t a.cu)\n"
            "target_compile_definitions(t PRIVATE N=4 M=${X_VALUE})\nset(CMAKE_CXX_STANDARD 20)\n",
            "src/a.cu": "#include <hip/hip_runtime.h>\nstatic_assert(N == 4);\n"
            "#if __cplusplus < 202002L\n#error old\n#endif\n",
        },
    )
    ran = hipport("verify", "-v", "--rocm-path", "/usr", "--jobs", "1", "src", cwd=tmp_path)
    assert ran.code == 0, ran.out
    told = ran.err.replace(str(tmp_path), "")
    assert "hipport: 1 unit: -DN=4 -std=gnu++20\n" in told
    assert "hipport: /src/CMakeLists.txt:3: -DM=${X_VALUE} is left out: " in told
    given = ["--std", "c++17", "--rocm-path", "/usr", "--jobs", "1", "src"]
    assert "old" in hipport("verify", *given, cwd=tmp_path).out
