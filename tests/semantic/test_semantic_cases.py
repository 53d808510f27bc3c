"""The golden cases of fixtures/semantic: each folder is a tree, converted with --semantic."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import hipport
from tests.support.folders import FIXTURES
from tests.support.source_cases import Case, Expected, parse

pytestmark = pytest.mark.toolchain

FOLDER = FIXTURES / "semantic"
CUDA = FOLDER / "cuda"
CASES = sorted((FOLDER / "cases").iterdir())


def converted(
    folder: Path, place: Path, *more: str, cuda: Path = CUDA
) -> tuple[dict[str, Case], dict[str, Any]]:
    """The cases of a folder, converted below a place, and the report."""
    cases = {path.name: parse(path.name, path.read_text("utf-8")) for path in folder.iterdir()}
    (place / "in").mkdir()
    for name, case in cases.items():
        (place / "in" / name).write_text(case.input, "utf-8")
    words = ("--semantic", "--cuda-path", cuda, "--jobs", "1", "--report", "r.json")
    ran = hipport("convert", *words, *more, "in", "-o", "out", cwd=place)
    assert ran.err == ""
    return cases, json.loads((place / "r.json").read_text("utf-8"))


def check(cases: dict[str, Case], report: dict[str, Any], place: Path) -> None:
    """See that the texts and the findings are those of the cases."""
    for name, case in cases.items():
        assert (place / "out" / name).read_text("utf-8") == case.output, name
        found = [
            Expected(each["line"], each["column"], each["severity"], each["code"], each["symbol"])
            for each in report["findings"]
            if each["path"] == name
        ]
        assert found == list(case.findings), name


@pytest.mark.parametrize("folder", CASES, ids=[each.name for each in CASES])
def test_text_and_findings(folder: Path, tmp_path: Path) -> None:
    check(*converted(folder, tmp_path), tmp_path)


def test_evidence(tmp_path: Path) -> None:
    """What types decided is told as `semantic`; what syntax knows alone is not."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in ("members", "symbols", "launches"):
        (tmp_path / name).mkdir()
        _, report = converted(FOLDER / "cases" / name, tmp_path / name, "--explain")
        for each in report["edits"]:
            found[each["rule"], each["new"]].add(each["evidence"])
    semantic = {key for key, evidence in found.items() if evidence == {"semantic"}}
    assert {each for each in semantic if not each[1].startswith("hip")} == {
        ("rewrite:warp-function", "warp32::activemask"),
        ("rewrite:warp-function", "warp32::any_sync"),
        ("rewrite:warp-function", "warp32::ballot_sync"),
        ("api:cudaMemcpyToSymbol", "HIP_SYMBOL("),
        ("api:cudaMemcpyToSymbol", ")"),
        ("api:cudaFuncSetAttribute", "reinterpret_cast<const void*>("),
        ("api:cudaFuncSetAttribute", ")"),
        ("launch", "dim3("),
        ("launch", "dim3(shape.x, shape.y, shape.z)"),
    }
    assert found["launch", "hipLaunchKernelGGL("] == {"syntax"}
