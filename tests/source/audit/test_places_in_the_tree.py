"""What a file comes to by the files around it: how they include it."""

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
