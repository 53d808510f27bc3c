"""A finding about a source that CMake names, and the tree does not have, is a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.noted import noted

ADDED = "add_executable(sums examples/sums.cu)\n"


def found(folder: Path, files: dict[str, str]) -> list[str]:
    return noted(folder, files, ("HP-CMAKE-002", "HP-USE"))


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    assert found(tmp_path, {"CMakeLists.txt": ADDED}) == ["HP-USE-006 examples/sums.cu"]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"examples/sums.cu": "int n;\n"}, id="it is there"),
        pytest.param({"more/sums.cu": "int n;\n"}, id="somewhere else"),
        pytest.param({"sums.cu.in": "int @n@;\n"}, id="made of another"),
        pytest.param({"CMakeLists.txt": f"{ADDED}write(examples/sums.cu)\n"}, id="written"),
    ],
)
def test_a_source_that_may_be_there(tmp_path: Path, files: dict[str, str]) -> None:
    assert "HP-CMAKE-002 examples/sums.cu" in found(tmp_path, {"CMakeLists.txt": ADDED} | files)


def test_names_that_are_not_known(tmp_path: Path) -> None:
    text = "add_library(a ${name}.cu)\nadd_library(b ${CMAKE_BINARY_DIR}/b.cu)\n"
    assert not any("USE" in each for each in found(tmp_path, {"CMakeLists.txt": text}))


OLD = 'flags = {"nvcc": ["--use_fast_math"]}\nCUDAExtension("a", ["old/sums.cu"])\n'


def options(folder: Path, files: dict[str, str]) -> list[str]:
    there = {"pyproject.toml": '[project]\nname = "ours"\n'}
    return noted(folder, there | files, ("HP-PY-008", "HP-USE"))


def test_an_old_setup_script(tmp_path: Path) -> None:
    """None of the sources that it names is there: nothing runs it any more."""
    assert options(tmp_path, {"back_setup.py": OLD}) == ["HP-USE-006 old/sums.cu"]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"setup_cuda.py": OLD, "old/sums.cu": "int n;\n"}, id="they are there"),
        pytest.param({"setup.py": OLD}, id="the one that is run"),
        pytest.param({"setup_cuda.py": OLD.replace("old/", "")}, id="in another folder"),
    ],
)
def test_a_setup_script_that_may_be_run(tmp_path: Path, files: dict[str, str]) -> None:
    assert "HP-PY-008 --use_fast_math" in options(tmp_path, files)
