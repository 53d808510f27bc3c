"""What a file comes to by the files around it: who includes it, and whose CI it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited
from tests.support.command import make_tree

HEADER = "#pragma once\nint waves();\n"
COPY = "/* NOTICE TO LICENSEE: */\n#pragma once\n"


@pytest.mark.parametrize(
    ("header", "include", "severity"),
    [
        (HEADER, '"cublas_api.h"', "info"),
        (HEADER, '"inc/cublas_api.h"', "info"),
        (HEADER, "<cublas_api.h>", "review"),
        (HEADER, '<cublas_api.h>\n#include "cublas_api.h"', "info"),
        (HEADER, "<inc/cublas_api.h>", "info"),
        (COPY, '"cublas_api.h"', "review"),
    ],
)
def test_a_header_with_a_name_of_cudas(
    tmp_path: Path, header: str, include: str, severity: str
) -> None:
    make_tree(tmp_path, {"inc/cublas_api.h": header, "waves.cpp": f"#include {include}\n"})
    found = [each for each in audited(tmp_path) if each.code == "HP-MAKE-014"]
    assert [each.severity.word for each in found] == [severity]


JOB = "jobs:\n  gpu:\n    steps:\n      - run: cmake -DWAVES_CUDA_TESTS=ON .\n"
INSIDE = "waves/.github/workflows/ci.yml"


def test_the_ci_of_a_project_inside_never_runs(tmp_path: Path) -> None:
    def codes(name: str, files: dict[str, str]) -> list[str]:
        make_tree(tmp_path / name, files)
        return [each.path.rpartition("waves")[1] for each in audited(tmp_path / name)]

    assert codes("folder", {INSIDE: JOB}) == ["waves"]
    assert codes("modules", {INSIDE: JOB, ".gitmodules": ""}) == []
    assert codes("both", {INSIDE: JOB, ".github/workflows/ci.yml": JOB}) == [""]
