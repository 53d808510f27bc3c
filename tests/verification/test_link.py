"""`hipport verify --link`: which libraries are called, and which the build files link."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import flag_rules
from hipport.verification.compiler_facts import knowledge
from hipport.verification.link import linked, needed
from tests.support.command import hipport, make_tree

CODE = """\
#include <hip/hip_runtime.h>
// hiprandGenerate() is in a comment only.
void f(void *h) {
    hipblasCreate(h); hipblasDestroy(h);
    auto of_no_library = hipMalloc;
    hipfftPlan1d(h, "ncclAllReduce()");
}
"""


def lacking(folder: Path, build: dict[str, str], code: str = CODE) -> list[tuple[str, int]]:
    """The libraries that are called and not linked, with the number of their calls."""
    files = list(make_tree(folder, {"a.hip": code, **build}).iterdir())
    names = linked(files).names
    return [
        (each.libraries[0], each.calls)
        for each in needed([folder / "a.hip"])
        if names.isdisjoint(each.libraries)
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CMakeLists.txt", "target_link_libraries(x PRIVATE roc::hipblas hip::hipfft)"),
        ("CMakeLists.txt", "target_link_libraries(x hipblas -lhipfft)"),
        (
            "CMakeLists.txt",
            'set(L roc::hipblas)\nlist(APPEND L hip::hipfft)\nlink_libraries("${L}")',
        ),
        (
            "CMakeLists.txt",
            "set(A roc::hipblas)\nset(B ${A} hipfft)\ntarget_link_libraries(x ${B})",
        ),
        ("Makefile", "LDLIBS = -lhipblas -l hipfft\n"),
        ("Makefile", "x:\n\thipcc a.hip /opt/rocm/lib/libhipblas.so libhipfft.a\n"),
        ("setup.py", "Extension('x', libraries=['hipblas',\n  \"hipfft\"])"),
    ],
)
def test_what_is_linked_is_found(tmp_path: Path, name: str, text: str) -> None:
    assert lacking(tmp_path, {name: text}) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CMakeLists.txt", "# target_link_libraries(x hipblas hipfft)\n"),
        ("CMakeLists.txt", "set(L hipblas hipfft)\n"),
        ("CMakeLists.txt", "target_link_libraries(x hipblas_own my::hipfftw)\n"),
        ("Makefile", "# LDLIBS = -lhipblas -lhipfft\n"),
        ("Makefile", "x: hipblas hipfft\n"),
        ("setup.py", "install_requires=['hipblas', 'hipfft']"),
    ],
)
def test_what_is_only_named_is_not_linked(tmp_path: Path, name: str, text: str) -> None:
    assert lacking(tmp_path, {name: text}) == [("hipblas", 2), ("hipfft", 1)]


def test_a_variable_that_nothing_sets_is_told(tmp_path: Path) -> None:
    make_tree(
        tmp_path, {"CMakeLists.txt": "set(A ${B} ${A})\ntarget_link_libraries(x ${A} ${C})\n"}
    )
    found = linked([tmp_path / "CMakeLists.txt"])
    assert (found.files, set(found.unknown)) == (1, {"B", "C"})


def test_every_library_of_the_table_has_a_flag_and_functions() -> None:
    rules, flags = load(), flag_rules(load())
    for library, flag in knowledge()["link"].items():
        assert library in rules.libraries
        assert flags[flag][0].hip.startswith("-l")


@pytest.mark.toolchain
def test_findings_and_exit_codes(tmp_path: Path) -> None:
    build = "find_package(hip)\ntarget_link_libraries(x roc::hipblas)\n"
    make_tree(tmp_path, {"src/a.hip": CODE, "src/CMakeLists.txt": build})
    ran = hipport("verify", "--link", "--format", "json", "src", cwd=tmp_path)
    (found,) = [e for e in json.loads(ran.out)["findings"] if e["code"] == "HP-VER-008"]
    assert (found["path"], found["line"], found["severity"]) == ("src/a.hip", 6, "manual")
    assert found["message"] == "`hipfftPlan1d` is in hipfft, which no build file links: 1 call"
    assert found["suggestion"].startswith("Link it: -lhipfft, or target_link_libraries(… hipfft)")
    (tmp_path / "src/CMakeLists.txt").write_text(build + "target_link_libraries(x ${FFT_LIBS})\n")
    ran = hipport("verify", "--link", "--format", "json", "src", cwd=tmp_path)
    (found,) = [e for e in json.loads(ran.out)["findings"] if e["code"] == "HP-VER-008"]
    assert found["severity"] == "review"
    assert found["message"].endswith("; ${FFT_LIBS} is not known")


@pytest.mark.toolchain
def test_without_a_build_file_nothing_is_called_linked(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.hip": CODE})
    ran = hipport("verify", "--link", "src", cwd=tmp_path)
    assert ran.code == 2
    assert "hipport: no build file: what is linked is not known" in ran.err
