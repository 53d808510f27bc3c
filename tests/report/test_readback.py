"""Reports read back and joined: nothing is lost, and a hostile one is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import hipport
from tests.support.sample_report import SAMPLE, golden

FORMATS = ("text", "markdown", "sarif", "gitlab", "junit")


def report(folder: Path, name: str, **changes: Any) -> Path:
    content = json.loads(SAMPLE.read_text("utf-8")) | changes
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def part(folder: Path, name: str, paths: set[str], options: dict[str, str]) -> Path:
    """The sample's rows for these paths alone."""
    whole = json.loads(SAMPLE.read_text("utf-8"))
    return report(
        folder,
        name,
        files=[each for each in whole["files"] if each["path"] in paths],
        findings=[each for each in whole["findings"] if each["path"] in paths],
        summary={"options": options, "libraries": {"cuBLAS": {"mapped": 1, "uses": 2}}},
    )


def merge(folder: Path, *arguments: str | Path) -> Any:
    ran = hipport("audit", "merge", "--fail-on", "never", *arguments, cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def test_one_report_comes_through_as_it_is(tmp_path: Path) -> None:
    told = json.loads(merge(tmp_path, SAMPLE, "--format", "json"))
    assert told == json.loads(golden("json").read_text("utf-8"))


def test_shards_are_one_report(tmp_path: Path) -> None:
    one = part(tmp_path, "one.json", {"src/warp.cu", "src/junk.cu"}, {"rocm": "7.0"})
    two = part(tmp_path, "two.json", {"tools/old.py", "lib/libscale.so"}, {"rocm": "6.4"})
    told = json.loads(merge(tmp_path, one, two, "--format", "json"))
    assert [each["path"] for each in told["files"]] == [
        "src/junk.cu",
        "src/warp.cu",
        "lib/libscale.so",
        "tools/old.py",
    ]
    assert told["summary"]["options"] == {"rocm": "7.0 or 6.4"}
    assert told["summary"]["libraries"] == {"cuBLAS": {"mapped": 2, "uses": 4}}
    original = {
        (each["path"], each["line"]): each for each in json.loads(SAMPLE.read_text())["findings"]
    }
    assert len(told["findings"]) == 5
    for each in told["findings"]:
        assert each == original[each["path"], each["line"]]
    assert "<pre>" in merge(tmp_path, one, two, "--format", "html")


def test_names_keep_repositories_apart(tmp_path: Path) -> None:
    one = part(tmp_path, "one.json", {"src/warp.cu"}, {})
    two = part(tmp_path, "two.json", {"src/warp.cu"}, {})
    ran = hipport("audit", "merge", one.name, two.name, cwd=tmp_path)
    said = "hipport: src/warp.cu is in one.json and in two.json (add --by-name)\n"
    assert ran == (2, "", said)
    told = json.loads(merge(tmp_path, "--by-name", one, two, "--format", "json"))
    assert [each["path"] for each in told["files"]] == ["one/src/warp.cu", "two/src/warp.cu"]
    assert told["findings"][0]["excerpt"] == told["findings"][3]["excerpt"]


FINDING = json.loads(SAMPLE.read_text("utf-8"))["findings"][0]
FILE = json.loads(SAMPLE.read_text("utf-8"))["files"][0]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"schema": "other/1"}, "the schema is another"),
        ({"files": {}}, "{} is not of type list"),
        ({"files": [{**FILE, "path": "../x"}]}, "'../x' is not a path inside the tree"),
        ({"files": [{**FILE, "reason": 3}]}, "3 is not of type str"),
        ({"findings": [{**FINDING, "line": -1}]}, "-1 is out of range"),
        ({"findings": [{**FINDING, "line": "1"}]}, "'1' is not of type int"),
        ({"findings": [{**FINDING, "severity": "worst"}]}, "'WORST'"),
        ({"findings": [{**FINDING, "excerpt": []}]}, "list indices must be"),
        ({"findings": [{**FINDING, "excerpt": {"line": 1, "lines": [1]}}]}, "1 is not of type str"),
        ({"findings": [{**FINDING, "excerpt": {"line": 1, "lines": ["a\nb"]}}]}, "several lines"),
        ({"findings": [{**FINDING, "symbol": "\ud800"}]}, "surrogates not allowed"),
        ({"findings": [{**FINDING, "fix": {"rule": "x"}}]}, "'edits'"),
        ({"summary": {"options": {"rocm": 7}}}, "7 is not of type str"),
    ],
)
def test_what_is_no_report_is_refused(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    ran = hipport("audit", "merge", report(tmp_path, "bad.json", **changes).name, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("hipport: bad.json: not a report of schema hipport-report/1 (")
    assert reason in ran.err
    assert ran.err.endswith("(write it with --format json)\n") and ran.err.count("\n") == 1
