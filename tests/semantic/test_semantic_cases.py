"""The golden cases of fixtures/semantic: each folder is a tree, converted with --semantic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases import Expected, parse
from tests.command import hipport

pytestmark = pytest.mark.toolchain

FOLDER = Path(__file__).parents[2] / "fixtures" / "semantic"
CASES = sorted((FOLDER / "cases").iterdir())


@pytest.mark.parametrize("folder", CASES, ids=[each.name for each in CASES])
def test_text_and_findings(folder: Path, tmp_path: Path) -> None:
    cases = {path.name: parse(path.name, path.read_text("utf-8")) for path in folder.iterdir()}
    (tmp_path / "in").mkdir()
    for name, case in cases.items():
        (tmp_path / "in" / name).write_text(case.input, "utf-8")
    words = ("--semantic", "--cuda-path", FOLDER / "cuda", "--jobs", "1", "--report", "r.json")
    ran = hipport("convert", *words, "in", "-o", "out", cwd=tmp_path)
    assert ran.err == ""
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    for name, case in cases.items():
        assert (tmp_path / "out" / name).read_text("utf-8") == case.output, name
        found = [
            Expected(each["line"], each["column"], each["severity"], each["code"], each["symbol"])
            for each in report["findings"]
            if each["path"] == name
        ]
        assert found == list(case.findings), name
