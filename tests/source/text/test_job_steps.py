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


INSTALLING = """jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - uses: {action}
        with:
          cuda: "12.4.1"
      - run: cmake -S . -B build
"""


@pytest.mark.parametrize(
    ("action", "codes"),
    [
        ("Jimver/cuda-toolkit@v0.2.35", ["HP-CI-001"]),
        ("ours/build@v1", ["HP-CI-002"]),
    ],
)
def test_what_a_step_is_given_that_installs_cuda(
    tmp_path: Path, action: str, codes: list[str]
) -> None:
    make_tree(tmp_path, {".github/workflows/w.yml": INSTALLING.format(action=action)})
    assert [each.code for each in audited(tmp_path)] == codes
