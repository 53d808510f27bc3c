"""Steps for systems that nobody ports to: what they set is no work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited
from tests.support.command import make_tree

JOB = """jobs:
  wheels:
    runs-on: ${{{{ matrix.os }}}}
    steps:
      - uses: actions/checkout@v4

      - name: Set the toolkit
        {condition}
        shell: bash
        run: |
          echo "CUDA_HOME=$where" >> $GITHUB_ENV

          ls $CUDA_PATH/include

      - name: Build
        run: pip wheel .
"""


@pytest.mark.parametrize(
    ("condition", "is_reported"),
    [
        ("if: runner.os == 'Windows'", False),
        ("if: ${{ runner.os == 'Windows' && matrix.cuda }}", False),
        ("if: startsWith(matrix.os, 'windows')", False),
        ("if: matrix.os == 'windows-2022'", False),
        ("if: runner.os == 'Linux'", True),
        ("if: runner.os != 'Windows'", True),
        ("if: runner.os == 'Windows' || matrix.cuda", True),
        ("id: toolkit", True),
    ],
)
def test_a_step_by_its_condition(tmp_path: Path, condition: str, is_reported: bool) -> None:
    make_tree(tmp_path, {".github/workflows/w.yml": JOB.format(condition=condition)})
    assert bool(audited(tmp_path)) is is_reported
