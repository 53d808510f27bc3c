"""A conversion and an audit report one matter under one code, so that a baseline serves both."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

import hipport
from tests.support.command import hipport as command
from tests.support.folders import CHECKOUT

PTX = """\
__global__ void k(int *p, float a, float b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0}, {%1};"
               : "=f"(a) : "f"(b));
  asm("{\\n\\t"
      "prmt.b32 %0, %1, %2, 0x5410;\\n\\t"
      "}" : "=r"(p[0]) : "r"(p[1]), "r"(p[2]));
  asm("frobnicate.b32 %0, %1;" : "=r"(p[3]) : "r"(p[4]));
  cudaGridDependencySynchronize();
  cudaNobodyKnowsThis();
}
"""
# What a conversion says of its edits, which an audit does not make: one that holds in part, one of
# a deprecated name, one of an include, what a build loses.
OF_EDITS = frozenset(
    ("HP-API-003", "HP-API-004", "HP-BUILD-001", "HP-BUILD-002", "HP-BUILD-004", "HP-INC-002")
)


def codes(folder: Path) -> tuple[dict[tuple[str, int], set[str]], dict[tuple[str, int], set[str]]]:
    """Place -> the codes there, of a conversion and of an audit."""
    request = hipport.ConvertRequest((folder,), writes=False)
    found = hipport.convert(request).report.findings, hipport.audit(folder).report.findings
    places: tuple[dict[tuple[str, int], set[str]], ...] = (defaultdict(set), defaultdict(set))
    for by_place, findings in zip(places, found, strict=True):
        for each in findings:
            name = Path(each.path).name
            by_place[name, each.start.line].add(each.code)
    return places[0], places[1]


def test_a_conversion_has_the_codes_of_the_audit(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(PTX)
    converted, audited = codes(tmp_path)
    for line, code in ((2, "HP-ASM-018"), (5, "HP-ASM-025"), (8, "HP-ASYNC-005")):
        assert converted["k.cu", line] == {code}
        assert code in audited["k.cu", line]
    assert converted["k.cu", 7] == {"HP-ASM-001"}


def test_fixtures_have_one_code_for_one_matter() -> None:
    converted, audited = codes(CHECKOUT / "fixtures/cuda")
    pairs = {
        (one, other)
        for place, found in converted.items()
        for one in found - audited[place] - OF_EDITS
        for other in audited[place] - found
    }
    assert pairs == set()


@pytest.mark.parametrize("code", ["HP-ASM-001", "HP-ASM-018"])
def test_comments_and_configuration_take_both_codes(tmp_path: Path, code: str) -> None:
    """A comment, and a key, that name the general code still mean what says more."""
    line = 'asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0}, {%1};" ::);'
    source = tmp_path / "k.cu"
    source.write_text(f"__global__ void k() {{ {line} }}\n")
    assert command("convert", "--check", "k.cu", cwd=tmp_path)[0] == 1
    audited = command("audit", "k.cu", "--format", "json", cwd=tmp_path)[1]
    assert [each["code"] for each in json.loads(audited)["findings"]] == ["HP-ASM-018"]
    source.write_text(f"__global__ void k() {{ {line} }}  // hipport: ignore[{code}]: slow path\n")
    for arguments in (("audit", "k.cu"), ("convert", "-o", "out", "k.cu")):
        assert command(*arguments, cwd=tmp_path)[0] == 0
    source.write_text(f"__global__ void k() {{ {line} }}\n")
    (tmp_path / "hipport.toml").write_text(f'ignore = ["{code}"]\n')
    for arguments in (("audit", "k.cu"), ("convert", "-o", "out", "k.cu")):
        assert command(*arguments, cwd=tmp_path)[0] == 0
