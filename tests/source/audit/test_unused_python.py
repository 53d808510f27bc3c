"""A finding in Python that nothing in its tree names is a note, if only a compiler reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.noted import noted

HELPER = """\
import triton
import triton.language as tl


@triton.jit
def fast_root(x):
    return tl.inline_asm_elementwise("sqrt.approx.f32 $0, $1;", "=f,f", [x], tl.float32, True, 1)
"""
PROJECT = {"pyproject.toml": "[project]\nname = 'sums'\n"}


def found(folder: Path, files: dict[str, str]) -> list[str]:
    return noted(folder, PROJECT | files, ("HP-PY-069", "HP-USE"))


def test_a_helper_that_nothing_names(tmp_path: Path) -> None:
    others = {"more/roots.py": HELPER, "sums.py": "# fast_root(x)\nroot = slow_root(x)\n"}
    assert set(found(tmp_path, {"roots.py": HELPER} | others)) == {"HP-USE-001 fast_root"}


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"sums.py": "from roots import fast_root\n"}, id="imported"),
        pytest.param({"README.md": "Call `fast_root`.\n"}, id="documented"),
        pytest.param({"roots.py": f"{HELPER}\n\n__all__ = ['fast_root']\n"}, id="exported"),
        pytest.param({"roots.py": HELPER.replace("@triton.jit", "@register")}, id="registered"),
        pytest.param({"roots.py": HELPER.replace("fast_root", "test_root")}, id="a test"),
        pytest.param({"a.py": "root = getattr(roots, f'{kind}_root')\n"}, id="looked up"),
    ],
)
def test_a_helper_that_something_may_call(tmp_path: Path, files: dict[str, str]) -> None:
    assert found(tmp_path, {"roots.py": HELPER} | files) == ["HP-PY-069 sqrt.approx.f32"]
