"""What the JSON file beside a code object says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hipport.fatbin.sidecars import described

WHOLE = {
    "name": "add",
    "num_warps": 4,
    "num_ctas": 1,
    "num_stages": 2,
    "waves_per_eu": 0,
    "shared": 128,
    "triton_version": "3.1",
    "other": 1,
    "target": {"arch": "gfx942", "backend": "hip"},
}
SHOWN = (
    "made by Triton: name add, num_warps 4, num_ctas 1, num_stages 2, waves_per_eu 0, shared 128, "
    "triton_version 3.1, arch gfx942"
)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, SHOWN),
        (
            {"num_warps": None, "num_ctas": [1], "num_stages": 2.5},
            SHOWN.replace("num_warps 4, num_ctas 1, num_stages 2, ", ""),
        ),
        ({"shared": "x" * 256}, SHOWN.replace("shared 128", f"shared {'x' * 256}")),
        ({"shared": "x" * 257}, SHOWN.replace("shared 128, ", "")),
        ({"target": {}}, SHOWN.replace(", arch gfx942", "")),
        ({"target": {"arch": ["gfx942"]}}, SHOWN.replace(", arch gfx942", "")),
        ({"target": "gfx942"}, ""),
        ({"target": None}, ""),
        ({"name": 1}, ""),
        ({"name": None}, ""),
    ],
)
def test_values_that_are_plain(changed: dict[str, object], said: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(WHOLE | changed), "utf-8")
    assert described(str(tmp_path / "a.hsaco")) == said


@pytest.mark.parametrize("content", ["", "{", "[]", "1", "[" * 100_000, '{"a": "\udc80"}', "\x00"])
def test_what_is_no_object(content: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(content, "utf-8", "surrogateescape")
    assert described(str(tmp_path / "a.hsaco")) == ""


@pytest.mark.parametrize(("size", "said"), [(1 << 20, SHOWN), ((1 << 20) + 1, "")])
def test_a_file_of_a_reasonable_size(size: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(WHOLE).ljust(size), "utf-8")
    assert described(str(tmp_path / "a.hsaco")) == said


def test_files_of_other_names(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(WHOLE), "utf-8")
    assert described(str(tmp_path / "b.hsaco")) == ""
    assert described(str(tmp_path / "a.co")) == ""
    (tmp_path / "c.json").mkdir()
    assert described(str(tmp_path / "c.hsaco")) == ""
