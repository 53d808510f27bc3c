"""What a module of the tree has is no function of CUDA's, whatever its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited
from tests.support.command import make_tree

CALLING = """import ctypes


def copy(lib, out):
    from ..native import copies as m

    m.cudaMemcpyDtoH(lib, out)
"""
OWN = "def copy(lib, out):\n    pass\n\n\ncudaMemcpyDtoH = copy\n"
FOUND = ["cudaMemcpyDtoH"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, FOUND),
        ({"waves/native/copies.py": OWN}, []),
        ({"waves/native/other.py": OWN}, FOUND),
        ({"waves/native/copies.py": "from cuda.bindings.runtime import *\n"}, FOUND),
    ],
)
def test_a_call_into_a_module_of_the_tree(
    tmp_path: Path, files: dict[str, str], found: list[str]
) -> None:
    make_tree(tmp_path, {"waves/tensors/copy.py": CALLING, **files})
    assert [each.symbol for each in audited(tmp_path) if each.code == "HP-PY-074"] == found


def test_no_import_leads_out_of_the_tree(tmp_path: Path) -> None:
    make_tree(tmp_path, {"native/copies.py": OWN, "waves/copy.py": CALLING})
    assert [each.symbol for each in audited(tmp_path / "waves")] == FOUND
    assert [each.symbol for each in audited(tmp_path)] == []
