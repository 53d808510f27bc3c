"""A file that defines `__device__` as nothing stands in for CUDA: no GPU runs what is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.runs.audit import audit
from hipport.runs.audit_request import AuditRequest

EMULATION = """\
#pragma once
#include <cmath>
#define __global__
#define __device__
inline float __fadd_rn(float a, float b) { return a + b; }
inline void f(int *p) { cudaGraphConditionalHandleCreate(p, p, 0, 0); }
"""
GUARDED = f"#ifndef EMULATION_H\n#define EMULATION_H\n{EMULATION}#endif\n"
MARKS = "#define __global__\n#define __device__\n"
ELSEWHERE = EMULATION.replace(MARKS, f"#ifndef __CUDACC__\n{MARKS}#endif\n")
OTHERWISE = EMULATION.replace("#define __device__", "#define __device__ __attribute__((ours))")


def found(folder: Path, text: str) -> list[str]:
    (folder / "emulation.hpp").write_text(text)
    report = audit(AuditRequest((str(folder),), jobs=1, isolated=True)).report
    return [f"{each.start.line} {each.code} {each.symbol}" for each in report.findings]


@pytest.mark.parametrize(("text", "line"), [(EMULATION, 4), (GUARDED, 6)])
def test_one_note(text: str, line: int, tmp_path: Path) -> None:
    assert found(tmp_path, text) == [f"{line} HP-USE-004 __device__"]


@pytest.mark.parametrize("text", [ELSEWHERE, OTHERWISE])
def test_any_other_file_has_its_findings(text: str, tmp_path: Path) -> None:
    assert any("cudaGraphConditionalHandleCreate" in each for each in found(tmp_path, text))


def test_a_file_without_findings_has_no_note(tmp_path: Path) -> None:
    assert found(tmp_path, "#define __device__\nint f();\n") == []
