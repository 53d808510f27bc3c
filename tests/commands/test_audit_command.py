"""`hipport audit` as a user runs it: exact text, valid SARIF, suppression, baseline, exit codes."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import pytest

from tests.support.command import hipport
from tests.support.folders import CHECKOUT

# HIP already: of CUDA's warps the audit says that conversion keeps them.
KERNEL = """#include <hip/hip_runtime.h>
__global__ void k(int *p) {
  int lane = threadIdx.x & 31;
  unsigned m = __ballot_sync(0xffffffff, lane);
  *p = __popc(m);
}
"""
TEXT = """\
5 findings: 1 done by hipport convert, 4 need a person
src/Makefile:1:18: manual HP-MAKE-003 [*] `-use_fast_math`: clang silently reads the \
single-dash form as something else
src/a.cu:3:14: manual HP-WARP-001 `threadIdx.x & 31` relies on 32 lanes: the result is used as \
the index of a lane or a warp; CDNA and GCN have 64
src/a.cu:4:3: manual HP-WARP-004 `unsigned m = __ballot_sync…` keeps 32 of the 64 bits that HIP \
returns: lanes 32 to 63 are lost on CDNA
src/a.cu:4:30: blocker HP-WARP-003 `__ballot_sync` takes a 64-bit mask in HIP; this one has 32 bits
src/a.cu:5:8: manual HP-WARP-005 `__popc` sees the lower 32 bits of a set of 64 lanes only
Found in 2 of 3 files: 1 blocker, 4 manual, 0 review, 0 info
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.cu").write_text(KERNEL)
    (tmp_path / "src/Makefile").write_text("NVCCFLAGS += -O3 -use_fast_math\n")
    (tmp_path / "src/t.py").write_text("import apex  # hipport: ignore[HP-PY-011]: ported soon\n")
    return tmp_path


def written(tree: Path, format_: str) -> str:
    arguments = ("audit", "report", "src", "--format", format_, "--fail-on", "never", "-o", "out")
    assert hipport(*arguments, cwd=tree) == (0, "", "")
    return (tree / "out").read_text(encoding="utf-8")


def test_text_and_exit_codes(tree: Path) -> None:
    assert hipport("audit", "report", "src", "--format", "text", cwd=tree) == (1, TEXT, "")
    assert hipport("audit", "src", "--format", "text", cwd=tree) == (1, TEXT, "")
    assert hipport("audit", "src", "--fail-on", "never", cwd=tree) == (0, TEXT, "")
    code, out, error = hipport("audit", "nowhere", cwd=tree)
    assert (code, out) == (2, "")
    assert error == "hipport: nowhere: no such file or folder (check the path)\n"


def test_nothing_is_written_into_the_tree(tree: Path) -> None:
    before = {path: path.read_bytes() for path in (tree / "src").iterdir()}
    hipport("audit", "src", cwd=tree)
    assert {path: path.read_bytes() for path in (tree / "src").iterdir()} == before


def test_processes_change_nothing(tree: Path) -> None:
    assert hipport("audit", "src", "--jobs", "2", cwd=tree) == (1, TEXT, "")


def test_json_and_sarif_are_valid(tree: Path) -> None:
    schema = json.loads((CHECKOUT / "hipport/report/report.schema.json").read_text("utf-8"))
    report = json.loads(written(tree, "json"))
    jsonschema.validate(report, schema)
    assert report["command"] == "audit"
    assert [each["code"] for each in report["findings"]] == [
        line.split()[2] for line in TEXT.splitlines()[1:-1]
    ]
    (schema_file,) = (CHECKOUT / "fixtures/report").glob("sarif*.json")
    sarif = json.loads(written(tree, "sarif"))
    jsonschema.validate(sarif, json.loads(schema_file.read_text("utf-8")))
    regions = [
        result["locations"][0]["physicalLocation"]["region"]["startLine"]
        for result in sarif["runs"][0]["results"]
    ]
    assert sorted(regions) == [1, 3, 4, 4, 5]


def test_the_other_formats(tree: Path) -> None:
    github = written(tree, "github").splitlines()
    assert github[0].startswith("::error file=src/a.cu,line=4,col=30,endLine=4,")
    assert len(json.loads(written(tree, "gitlab"))) == 5
    assert "**5 findings: 1 done by hipport convert, 4 need a person.**" in written(
        tree, "markdown"
    )


def test_junit_fails_for_what_fails_the_audit(tree: Path) -> None:
    arguments = ("audit", "report", "src", "--format", "junit", "-o", "out")
    assert hipport(*arguments, cwd=tree) == (1, "", "")
    suites = ElementTree.fromstring((tree / "out").read_text(encoding="utf-8"))
    assert len(suites.findall(".//failure")) == 5
    suites = ElementTree.fromstring(written(tree, "junit"))
    assert suites.findall(".//failure") == []


def test_hostile_names_are_harmless_in_html(tree: Path) -> None:
    (tree / "src/<script>alert(1)<.cu").write_text("int f() { return cudaGetExportTable(0, 0); }\n")
    page = written(tree, "html")
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)&lt;.cu" in page
    # Pages of others are linked to, but nothing is loaded from them.
    assert "://" not in re.sub(r'<a [^<>]*rel="noreferrer">[^<]*</a>', "", page)


def test_reports_of_shards_are_joined(tree: Path) -> None:
    for name in ("a.cu", "Makefile", "t.py"):
        path = f"src/{name}"
        hipport("audit", path, "--format", "json", "-o", f"{name}.json", cwd=tree)
    merged = hipport(
        "audit", "merge", "Makefile.json", "a.cu.json", "t.py.json", "--format", "text", cwd=tree
    )
    assert sorted(merged[1].splitlines()) == sorted(TEXT.splitlines())


def test_a_baseline_follows_moved_lines(tree: Path) -> None:
    assert hipport("audit", "check", "src", "--write-baseline", "base.json", cwd=tree)[0] == 0
    (tree / "src/a.cu").write_text("// moved by a line\n" + KERNEL)
    assert hipport("audit", "check", "src", "--baseline", "base.json", cwd=tree)[0] == 0
    (tree / "src/a.cu").write_text(KERNEL + "__device__ int n = __popc(__ballot(1));\n")
    code, out, _ = hipport("audit", "check", "src", "--baseline", "base.json", cwd=tree)
    assert code == 1
    assert [line.split(":")[1] for line in out.splitlines()[1:-1]] == ["7"]


def test_comments_hide_findings(tree: Path) -> None:
    (tree / "src/a.cu").write_text(
        KERNEL.replace("0xffffffff, lane);", "0xffffffff, lane);  // hipport: ignore[HP-WARP-003]")
    )
    codes = hipport("audit", "src/a.cu", cwd=tree)[1]
    assert "HP-WARP-003" not in codes and "HP-WARP-004" in codes
    (tree / "src/a.cu").write_text("// hipport: ignore-file[HP-WARP-003]\n" + KERNEL)
    assert "HP-WARP-003" not in hipport("audit", "src/a.cu", cwd=tree)[1]
    (tree / "src/a.cu").write_text("// hipport: off\n" + KERNEL + "// hipport: on\n")
    assert hipport("audit", "src/a.cu", cwd=tree) == (0, "0 findings in 1 file\n", "")
    (tree / "src/a.cu").write_text("int x;  // hipport: ignore[HP-WARP-003]\n")
    assert "src/a.cu:1:9: info HP-SUPPRESS-001" in hipport("audit", "src/a.cu", cwd=tree)[1]


def test_a_conversion_heeds_the_comments(tree: Path) -> None:
    line = "0xffffffff, lane);  // hipport: ignore[HP-WARP-003,HP-WARP-004]: wave32"
    kernel = KERNEL.replace("& 31;", "& 31;  // hipport: ignore[HP-WARP-001]")
    kernel = kernel.replace("popc(m);", "popc(m);  // hipport: ignore[HP-WARP-005]")
    (tree / "src/a.cu").write_text(kernel.replace("0xffffffff, lane);", line))
    assert hipport("convert", "src", cwd=tree) == (0, "", "")


def test_a_finding_is_explained(tree: Path) -> None:
    code, out, _ = hipport("audit", "explain", "HP-WARP-001", cwd=tree)
    assert code == 0
    assert out.startswith("HP-WARP-001: Hard-coded warp size of 32\nSeverity: manual")
