"""Build files on the command line: which are converted, and what that costs other files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.project.test_import_hygiene import loaded
from tests.support.command import hipport, make_tree, read_tree

MAKEFILE = "app: app.cu\n\tnvcc -arch=sm_80 -o $@ $<\n"
CMAKE = "project(app LANGUAGES CUDA)\nadd_executable(app app.cu)\n"
SCRIPT = "export CUDA_LAUNCH_BLOCKING=1\n"
TREE = {
    "app.cu": "int main() { return cudaDeviceReset(); }\n",
    "Makefile": MAKEFILE,
    "CMakeLists.txt": CMAKE,
    "run.sh": SCRIPT,
}


def converted(tmp_path: Path, *options: str) -> dict[str, object]:
    make_tree(tmp_path / "src", dict(TREE))
    ran = hipport("convert", "--fail-on", "never", *options, "src", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    return dict(read_tree(tmp_path / "src_hip"))


def test_by_default_all_but_scripts(tmp_path: Path) -> None:
    made = converted(tmp_path)
    assert made["Makefile"] == "app: app.cu\n\thipcc -o $@ $<\n"
    assert made["run.sh"] == SCRIPT
    assert made["CMakeLists.txt"] == (
        "project(app LANGUAGES HIP)\n"
        "set_source_files_properties(app.cu PROPERTIES LANGUAGE HIP)\n"
        "add_executable(app app.cu)\n"
    )


def test_none_of_them(tmp_path: Path) -> None:
    made = converted(tmp_path, "--no-build-files")
    assert {name: made[name] for name in TREE if name != "app.cu"} == {
        name: text for name, text in TREE.items() if name != "app.cu"
    }
    assert made["app.cu"] != TREE["app.cu"]


def test_scripts_too(tmp_path: Path) -> None:
    assert converted(tmp_path, "--scripts")["run.sh"] == "export HIP_LAUNCH_BLOCKING=1\n"


def test_targets(tmp_path: Path) -> None:
    made = converted(tmp_path, "--targets", "gfx90a, gfx1030")
    assert made["Makefile"] == (
        "app: app.cu\n\thipcc --offload-arch=gfx90a --offload-arch=gfx1030 -o $@ $<\n"
    )


def test_an_unknown_target_is_refused(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", dict(TREE))
    ran = hipport("convert", "--targets", "gfx1", "src", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "no processor gfx1" in ran.err
    assert not (tmp_path / "src_hip").exists()


def test_a_build_file_named_itself(tmp_path: Path) -> None:
    make_tree(tmp_path, {"Makefile": MAKEFILE})
    ran = hipport("convert", "Makefile", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert (tmp_path / "Makefile_hip").read_text() == "app: app.cu\n\thipcc -o $@ $<\n"


def test_in_place_children_of_a_converted_project_are_converted_too(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {"CMakeLists.txt": CMAKE, "lib/CMakeLists.txt": CMAKE})
    ran = hipport("convert", "--in-place", "src", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    made = read_tree(tmp_path / "src")
    assert made["lib/CMakeLists.txt"] == made["CMakeLists.txt"] != CMAKE


def test_excluded_and_ignored_build_files_stay(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {".gitignore": "/CMakeLists.txt\n", **TREE})
    ran = hipport("convert", "--exclude", "Makefile", "src", cwd=tmp_path)
    assert ran.code == 0
    made = read_tree(tmp_path / "src_hip")
    assert (made["Makefile"], made["CMakeLists.txt"]) == (MAKEFILE, CMAKE)


def test_a_suppressed_finding(tmp_path: Path) -> None:
    text = "app: app.o\n\tnvcc -dlink app.o  # hipport: ignore[HP-MAKE-012]: by hand\n"
    make_tree(tmp_path / "src", {"Makefile": text})
    assert hipport("convert", "src", cwd=tmp_path).code == 0


def test_the_report_names_edits_and_findings(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {"Makefile": "app: a.o\n\tnvcc -lineinfo -dlink a.o\n"})
    ran = hipport("convert", "--report", "r.json", "src", cwd=tmp_path)
    assert ran.code == 1
    report = json.loads((tmp_path / "r.json").read_text())
    (file,) = report["files"]
    assert (file["path"], file["language"], file["edits"]) == ("Makefile", "make", 2)
    (finding,) = report["findings"]
    assert (finding["code"], finding["line"], finding["column"]) == ("HP-MAKE-012", 2, 17)
    assert finding["symbol"] == "-dlink"


def test_binary_and_utf16_build_files_are_copied(tmp_path: Path) -> None:
    binary = {"Makefile": b"\0nvcc\0", "requirements.txt": "torch\n".encode("utf-16")}
    make_tree(tmp_path / "src", dict(binary))
    ran = hipport("convert", "src", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert {n: (tmp_path / "src_hip" / n).read_bytes() for n in binary} == binary


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("CMakeLists.txt", CMAKE, {"tree_sitter_cmake"}),
        ("CMakeLists.txt", "project(app LANGUAGES CXX)\n", set()),
        ("Makefile", MAKEFILE, set()),
    ],
)
def test_parsers_are_loaded_for_what_they_parse_only(
    name: str, text: str, expected: set[str], tmp_path: Path
) -> None:
    make_tree(tmp_path, {"src/" + name: text})
    parsers = {"tree_sitter_cmake", "tree_sitter_cuda", "tree_sitter_python"}
    assert loaded(tmp_path, "convert", "--fail-on", "never", "src", of=parsers) == expected


HOSTILE = {
    "many expressions": b"set(CMAKE_CUDA_FLAGS " + b"$<" * 50_000 + b")\n",
    "many variables": b"set(CMAKE_CUDA_FLAGS " + b"${" * 50_000 + b")\n",
    "deep blocks": b"if(A)\n" * 3_000 + b"enable_language(CUDA)\n" + b"endif()\n" * 3_000,
    "a long line": b'set(CMAKE_CUDA_FLAGS "' + b"-G " * 50_000 + b'")\n',
    "no end": b"project(x CUDA\n" * 5_000,
    "quotes": b'set(CUDA_X "' * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_cmake_ends(name: str, tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {"CMakeLists.txt": HOSTILE[name], "Makefile": HOSTILE[name]})
    ran = hipport("convert", "--fail-on", "never", "src", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")


HOSTILE_MAKE = {
    "functions": b"X = nvcc " + b"$(if " * 30_000 + b"\n",
    "quotes": b"X = nvcc '" + b'"' * 60_001 + b"\n",
    "continued": b"X = nvcc \\\n" * 20_000,
    "references": b"all:\n\tnvcc " + b"$(" * 60_000 + b"\n",
    "words": b"all:\n\tnvcc " + b"-G " * 30_000 + b"\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE_MAKE)
def test_hostile_makefiles_end(name: str, tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {"Makefile": HOSTILE_MAKE[name], "run.sh": HOSTILE_MAKE[name]})
    ran = hipport("convert", "--scripts", "--fail-on", "never", "src", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
