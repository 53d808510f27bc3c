"""The report that `--report` writes: every field, its order, its places."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hipport import __version__
from tests.support.command import hipport, make_tree

SCHEMA = json.loads((files("hipport") / "report/report.schema.json").read_text(encoding="utf-8"))
TREE = {
    "b.cu": "void f(int *p) {\n\tcudaFree(p);\n\tcudaFrobnicate(p); cudaFree(p);\n}\n",
    "a/é.cpp": "/* größer 🚀 */ int e = cudaDeviceFlushGPUDirectRDMAWrites(\n    x, y);\n",
    "a/x.py": "# apéx\nimport os, apex\n",
    "a/same.h": "int own;\n",
    "bad.cu": b"\0",
    "data": "cudaFree",
}


def report_of(folder: Path, *arguments: str, code: int = 1) -> dict[str, Any]:
    """The report of a conversion, checked against the schema."""
    done = hipport("convert", *arguments, "--report", "report.json", cwd=folder)
    assert (done.code, done.out) == (code, "")
    report = json.loads((folder / "report.json").read_bytes().decode("utf-8"))
    jsonschema.validate(report, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert isinstance(report, dict)
    return report


def test_every_field(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", TREE)
    report = report_of(tmp_path, "--rename", ".cu=.hip", "src", code=2)
    assert all(each.pop("excerpt")["lines"] for each in report["findings"])
    texts = [(each.pop("message"), each.pop("suggestion")) for each in report["findings"]]
    # Only names that the rulebook has are of a library: one has a page at NVIDIA, one at AMD.
    assert [each.pop("links", []) for each in report["findings"]] == [
        [],
        [
            "https://docs.nvidia.com/cuda/cuda-runtime-api/",
            "https://rocm.docs.amd.com/projects/HIP/en/latest/reference/hip_runtime_api_reference.html",
        ],
        [],
    ]
    assert report == {
        "schema": "hipport-report/1",
        "tool": {"name": "hipport", "version": __version__},
        "command": "convert",
        "summary": {
            "files": 6,
            "converted": 1,
            "unchanged": 3,
            "copied": 1,
            "skipped": 0,
            "failed": 1,
            "edits": 3,
            "findings": {"blocker": 0, "manual": 2, "review": 1, "info": 0},
            "libraries": {"CUDA runtime": {"mapped": 2, "uses": 3}},
        },
        "files": [
            file("a/same.h", "a/same.h", "cpp", 0, "unchanged"),
            file("a/x.py", "a/x.py", "python", 0, "unchanged"),
            file("a/é.cpp", "a/é.cpp", "cpp", 0, "unchanged"),
            file("b.cu", "b.hip", "cuda", 3, "converted"),
            file("bad.cu", "bad.hip", "cuda", 0, "failed"),
            file("data", "data", "", 0, "copied"),
        ],
        "findings": [
            finding("HP-PY-011", "manual", "a/x.py", (2, 12), (2, 16), "apex"),
            finding(
                "HP-API-001",
                "manual",
                "a/é.cpp",
                (1, 24),
                (1, 58),
                "cudaDeviceFlushGPUDirectRDMAWrites",
            ),
            finding("HP-API-002", "review", "b.cu", (3, 2), (3, 16), "cudaFrobnicate"),
        ],
    }
    assert texts[2] == (
        "`cudaFrobnicate` looks like a CUDA name, but has no rule; it was left as it is",
        "If it is your own, there is nothing to do. If it is CUDA's, add a line to rules/api.",
    )
    assert list(report) == ["schema", "tool", "command", "summary", "files", "findings"]
    assert list(report["files"][0]) == ["path", "output", "language", "edits", "status"]


def file(path: str, output: str, language: str, edits: int, status: str) -> dict[str, Any]:
    return {
        "path": path,
        "output": output,
        "language": language,
        "edits": edits,
        "status": status,
    }


def finding(
    code: str, severity: str, path: str, start: tuple[int, int], end: tuple[int, int], symbol: str
) -> dict[str, Any]:
    return {
        "code": code,
        "severity": severity,
        "path": path,
        "line": start[0],
        "column": start[1],
        "end_line": end[0],
        "end_column": end[1],
        "symbol": symbol,
    }


@pytest.mark.parametrize("options", [[], ["--in-place"], ["--check"], ["--diff"]])
def test_where_the_results_went(tmp_path: Path, options: list[str]) -> None:
    make_tree(tmp_path / "src", {"a.cu": "cudaEvent_t e;\n", "b.txt": ""})
    done = hipport("convert", *options, "src", "--report", "r.json", cwd=tmp_path)
    assert done.code == (1 if options == ["--check"] else 0)
    report = json.loads((tmp_path / "r.json").read_text())
    outputs = {
        "": ["a.cu", "b.txt"],
        "--in-place": ["a.cu", ""],
        "--check": ["", ""],
        "--diff": ["", ""],
    }
    assert [each["output"] for each in report["files"]] == outputs["".join(options)]
    assert [each["status"] for each in report["files"]] == [
        "converted",
        "skipped" if options else "copied",
    ]


def test_the_same_again_and_with_two_processes(tmp_path: Path) -> None:
    for number in range(30):
        make_tree(tmp_path / f"src/{number % 7}/{number}", TREE)
    reports = []
    for jobs in ("1", "1", "2"):
        report_of(tmp_path, "src", "--jobs", jobs, code=2)
        reports.append((tmp_path / "report.json").read_bytes())
    assert len(reports[0]) > 10_000
    assert reports[1] == reports[0]
    assert reports[2] == reports[0]


def test_findings_are_in_order(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {f"{name}.cu": TREE["b.cu"] * 3 for name in "cab"})
    report = report_of(tmp_path, "src", code=0)
    places = [(each["path"], each["line"], each["column"]) for each in report["findings"]]
    assert places == [(f"{name}.cu", line, 2) for name in "abc" for line in (3, 7, 11)]


@pytest.mark.parametrize(
    ("paths", "shown"),
    [
        (["src"], ["a.cu", "b/a.cu"]),
        (["src/b/a.cu"], ["a.cu"]),
        (["src/a.cu", "src/b"], ["a.cu", "b/a.cu"]),
        (["src/b", "other/b"], ["src/b/a.cu", "other/b/a.cu"]),
        (["./other/../other/b"], ["a.cu"]),
    ],
)
def test_paths_are_relative_to_what_was_given(
    tmp_path: Path, paths: list[str], shown: list[str]
) -> None:
    text = "int f() { return cudaFrobnicate(); }\n"
    make_tree(tmp_path, dict.fromkeys(["src/a.cu", "src/b/a.cu", "other/b/a.cu"], text))
    report = report_of(tmp_path, *paths, code=0)
    assert [each["path"] for each in report["files"]] == shown
    assert [each["path"] for each in report["findings"]] == shown


def test_columns_count_characters(tmp_path: Path) -> None:
    lines = [
        "cudaFrobnicate();",
        "/* ü */ cudaFrobnicate();",
        "/* 🚀🚀 */\tcudaFrobnicate();",
        'const char *s = "日本"; cudaFrobnicate();',
    ]
    expected = [line.index("cudaF") + 1 for line in lines]
    for newline in ("\n", "\r\n"):
        make_tree(tmp_path / "src", {"a.cpp": "\ufeff" + newline.join(lines)})
        report = report_of(tmp_path, "src", code=0)
        places = [(each["line"], each["column"]) for each in report["findings"]]
        assert places == list(enumerate(expected, start=1))
        width = len("cudaFrobnicate")
        ends = [each["end_column"] - each["column"] for each in report["findings"]]
        assert ends == [width] * 4


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    """Each counts as one character; in a symbol it is shown as the replacement character."""
    text = b"/* \xfc\xff */ cudaFrobnicate();\n#include <cuda\xff\x1b.h>\n"
    make_tree(tmp_path / "src", {"a.cpp": text})
    report = report_of(tmp_path, "src", code=0)
    found = [(each["line"], each["column"], each["symbol"]) for each in report["findings"]]
    assert found == [(1, 10, "cudaFrobnicate"), (2, 10, "cuda\ufffd\x1b.h")]


def test_names_that_are_hard_to_show(tmp_path: Path) -> None:
    text = "int f() { return cudaFrobnicate(); }\n"
    make_tree(
        tmp_path / "src", dict.fromkeys(["a\nb.cu", "c\udcff.cu", "d\\e.cu", "f\x1b.cu"], text)
    )
    report = report_of(tmp_path, "src", code=0)
    shown = [r"a\nb.cu", r"c\xff.cu", r"d\e.cu", r"f\x1b.cu"]
    assert [each["path"] for each in report["files"]] == shown
    assert [each["output"] for each in report["files"]] == shown
    assert [each["path"] for each in report["findings"]] == shown


@pytest.mark.parametrize(
    ("name", "shown"), [("x/k.cu", "x/k.cu"), ("/x/k.cu", "k.cu"), ("../k.cu", "k.cu")]
)
def test_standard_input(tmp_path: Path, name: str, shown: str) -> None:
    text = b"int f() { return cudaFrobnicate(); }\n"
    arguments = ["--stdin-filename", name, "--report", "report.json", "-"]
    done = hipport("convert", *arguments, cwd=tmp_path, stdin=text)
    assert done.code == 0
    report = json.loads((tmp_path / "report.json").read_text())
    jsonschema.validate(report, SCHEMA)
    assert report["files"] == [file(shown, "-", "cuda", 0, "unchanged")]
    assert [each["path"] for each in report["findings"]] == [shown]


def test_a_name_that_the_tree_declares_is_no_doubt(tmp_path: Path) -> None:
    make_tree(
        tmp_path / "src",
        {
            "a.cu": "#include <cuda_mine.h>\n#include <cuda_other.h>\nvoid f() { cudaMine(); }\n",
            "include/cuda_mine.h": "void cudaMine();\n",
        },
    )
    report = report_of(tmp_path, "src", code=0)
    assert [each["symbol"] for each in report["findings"]] == ["cuda_other.h"]
