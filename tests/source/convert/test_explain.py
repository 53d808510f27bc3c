"""`hipport convert --explain`: which rule made an edit, from which source, for which versions."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from hipport.report.explanation import lines
from hipport.rulebook.load import load
from hipport.source.convert.edit_explanations import explain
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.names.counterparts import Decisions
from tests.support.command import Ran, hipport, make_tree, read_tree
from tests.support.folders import CHECKOUT

SCHEMA = CHECKOUT / "hipport/report/report.schema.json"
SOURCE = """#include <cuda_runtime.h>
__device__ int t;
void f() {
    cudaMemcpyToSymbol(t, 0, 4);
    k<<<n, 2>>>();
}
"""
HIP = """#include <hip/hip_runtime.h>
__device__ int t;
void f() {
    hipMemcpyToSymbol(HIP_SYMBOL(t), 0, 4);
    hipLaunchKernelGGL(k, dim3(n), dim3(2), 0, 0);
}
"""


def line_of(table: str, name: str) -> int:
    """The number of the line of a table of rules that speaks of a name."""
    text = (CHECKOUT / "rules" / table).read_text("utf-8").splitlines()
    return 1 + next(number for number, line in enumerate(text) if line.startswith(f"{name}\t"))


def row(table: str, name: str) -> dict[str, str]:
    heading, *rest = (CHECKOUT / "rules" / table).read_text("utf-8").splitlines()
    values = next(line.split("\t") for line in rest if line.startswith(f"{name}\t"))
    return dict(zip(heading.split("\t"), values, strict=False))


def test_the_text_exactly(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": SOURCE})
    header, api = row("headers.tsv", "cuda_runtime.h"), row("api/runtime.tsv", "cudaMemcpyToSymbol")
    places = (
        f"rules/api/runtime.tsv:{line_of('api/runtime.tsv', 'cudaMemcpyToSymbol')},"
        f" rules/transforms.tsv:{line_of('transforms.tsv', 'cudaMemcpyToSymbol')}"
    )
    expected = (
        f"""a.cu:1:10: <cuda_runtime.h> -> <hip/hip_runtime.h>
    rule      header:<cuda_runtime.h> (rules/headers.tsv:{line_of("headers.tsv", "cuda_runtime.h")})
    evidence  syntax; the name is in the headers of {header["evidence"]}
    source    {header["source"]}
a.cu:4:5: cudaMemcpyToSymbol -> hipMemcpyToSymbol
a.cu:4:24: inserted HIP_SYMBOL(
a.cu:4:25: inserted )
    rule      api:cudaMemcpyToSymbol ({places})
    evidence  syntax; the name is in the headers of {api["evidence"]}
    source    {api["source"]}
    versions  HIP since {api["hip_added"]}
a.cu:5:5: inserted hipLaunchKernelGGL(
a.cu:5:6: <<< -> , """
        + """
a.cu:5:9: inserted dim3(
a.cu:5:10: inserted )
a.cu:5:12: inserted dim3(
a.cu:5:13: inserted )
a.cu:5:13: >>>( -> , 0, 0
    rule      launch (rules/explain.toml)
    why       A kernel launch, as HIP's portable macro; --launch keep leaves <<<>>>.
    evidence  syntax
    source    HIP programming manual, Calling __global__ functions
"""
    )
    for _ in range(2):
        assert hipport("convert", "--explain", "src", cwd=tmp_path) == Ran(0, expected, "")
    assert read_tree(tmp_path / "src_hip") == {"a.cu": HIP}
    make_tree(tmp_path, {"a.cu": SOURCE})
    assert hipport("convert", "--explain", "--check", "a.cu", cwd=tmp_path) == Ran(
        1, expected + "a.cu\n", ""
    )


def test_the_report_has_the_same(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": "\ufeffint é = cudaSuccess + cudaMallocHost(p, 4);\n"})
    command = ["convert", "--explain", "--check", "--report", "r.json", "a.cu"]
    assert hipport(*command, cwd=tmp_path).code == 1
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    jsonschema.validate(report, json.loads(SCHEMA.read_text("utf-8")))
    first = next(each for each in report["edits"] if each["old"] == "cudaSuccess")
    rule = row("api/runtime.tsv", "cudaSuccess")
    assert first == {
        "path": "a.cu",
        "line": 1,
        "column": 9,
        "end_line": 1,
        "end_column": 20,
        "old": "cudaSuccess",
        "new": "hipSuccess",
        "rule": "api:cudaSuccess",
        "places": [f"rules/api/runtime.tsv:{line_of('api/runtime.tsv', 'cudaSuccess')}"],
        "evidence": "syntax",
        "headers": rule["evidence"].split(),
        "source": rule["source"],
        "why": "",
        "versions": {key: rule[key] for key in ("hip_added",) if rule[key]},
    }
    assert hipport("convert", "--check", "--report", "r.json", "a.cu", cwd=tmp_path).code == 1
    assert "edits" not in json.loads((tmp_path / "r.json").read_text("utf-8"))


def test_build_files_name_the_line_of_their_table(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/CMakeLists.txt": "project(x LANGUAGES CXX CUDA)\n", "src/a.cu": ""})
    done = hipport("convert", "--explain", "src", cwd=tmp_path)
    assert "CMakeLists.txt:1:25: CUDA -> HIP\n    rule      cmake.tsv (rules/cmake.tsv" in done.out


def test_standard_output_is_not_shared(tmp_path: Path) -> None:
    done = hipport("convert", "--explain", "-", cwd=tmp_path, stdin=SOURCE.encode())
    assert done == Ran(
        2,
        "",
        "hipport: --explain writes where the result goes (add --check, or name a file)\n",
    )


TOPICS = ["arguments", "compile_options", "cub", "guards", "includes", "launch", "types", "warp"]


@pytest.mark.parametrize("topic", TOPICS)
def test_every_edit_of_the_golden_cases_has_its_line_in_the_rules(topic: str) -> None:
    sources = sorted((CHECKOUT / "fixtures/source" / topic).iterdir())
    rules = load()
    decisions = Decisions(rules, default_options(rules))
    explained = 0
    for path in sources:
        data = path.read_bytes()
        made = convert_source(data, path.name, "cuda", decisions).made
        for each in explain(data, made, path.name, rules):
            assert each.places, each
            explained += 1
            for place in each.places:
                file, _, number = place.partition(":")
                text = (CHECKOUT / file).read_text("utf-8").splitlines()
                if number:
                    assert text[int(number) - 1].split("\t")[0] in each.rule, each
    assert explained > 0


def test_long_and_broken_texts_stay_on_one_line() -> None:
    data = b"cudaFree" + b"\n" * 3
    rules = load()
    made = convert_source(data, "a.cu", "cuda", Decisions(rules, default_options(rules))).made
    for each in lines(explain(data, made, "a.cu", rules)):
        assert "\n" not in each
