"""Arguments of units from compile_commands.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.verification.compile_commands import Database, find_database
from tests.support.command import make_tree


def database(root: Path, *rows: object) -> Path:
    path = root / "compile_commands.json"
    path.write_text(json.dumps(rows), "utf-8")
    return path


def test_flags_of_nvcc_become_those_of_a_parser(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": "", "src_hip/a.cu": "", "src_hip/inc/b.h": ""})
    command = (
        "nvcc -forward-unknown-to-host-compiler -DN=1 -U M -I../src/inc -isystem /opt/x"
        " --generate-code=arch=compute_80,code=[sm_80] -std=c++17 -O3 -Xcompiler=-fPIC"
        " -x cu -c ../src/a.cu -o a.o"
    )
    row = {"directory": str(tmp_path / "build"), "file": "../src/a.cu", "command": command}
    found = Database(database(tmp_path, row), tmp_path / "src", tmp_path / "src_hip").arguments(
        tmp_path / "src_hip" / "a.cu"
    )
    assert found is not None
    assert found.folder == tmp_path / "build"
    assert found.arguments == (
        "-DN=1",
        "-UM",
        f"-I{tmp_path}/src_hip/inc",
        "-isystem",
        "/opt/x",
        "-std=c++17",
    )


def test_a_unit_that_it_does_not_have(tmp_path: Path) -> None:
    row = {"directory": str(tmp_path), "file": "a.cu", "arguments": ["nvcc", "a.cu"]}
    assert Database(database(tmp_path, row), None, None).arguments(tmp_path / "b.cu") is None


UNCLOSED = '[{"file": "a", "command": "nvcc \'a"}]'


@pytest.mark.parametrize(
    "content", ["{", "[1]", '[{"file": 1}]', '{"file": "a"}', "[[[]]]", UNCLOSED]
)
def test_what_is_no_database(tmp_path: Path, content: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(content, "utf-8")
    with pytest.raises(HipportError, match="not a compilation database"):
        Database(path, None, None)


def test_where_it_is_looked_for(tmp_path: Path) -> None:
    make_tree(tmp_path, {"tree/build/compile_commands.json": "[]", "other/x": ""})
    expected = tmp_path / "tree/build/compile_commands.json"
    assert find_database(None, [tmp_path / "other", tmp_path / "tree"]) == expected
    assert find_database(None, [tmp_path / "other"]) is None
    assert find_database(expected.parent, []) == expected
    with pytest.raises(HipportError, match="no such file"):
        find_database(tmp_path / "other", [])
