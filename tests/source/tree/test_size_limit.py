"""A file too large to parse in bounded memory is copied and reported; the others are converted."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hipport.cli import root
from hipport.source.tree import size_limit
from tests.support.command import make_tree

CUDA, HIP = "void f(void *p) { cudaFree(p); }\n", "hipFree(p)"
FILLED = "// " + "x" * 100 + "\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for language in size_limit.TO_CONVERT:
        monkeypatch.setitem(size_limit.TO_CONVERT, language, 100)
    files = {
        "large.cu": CUDA + FILLED,
        "plain.cpp": "int x;\n" + FILLED,
        "small.cu": CUDA,
        "CMakeLists.txt": "find_package(CUDA)\n" + "#" * 100,
        "large.py": "import torch\n" + "#" * 100,
    }
    return make_tree(tmp_path / "src", files)


def test_what_is_too_large_to_parse_is_copied_and_reported(tree: Path) -> None:
    output = tree.parent / "out"
    done = CliRunner().invoke(root, ["convert", str(tree), "-o", str(output), "--jobs", "1"])
    assert done.exit_code == 2
    told = [line for line in done.stderr.splitlines() if "larger than" in line]
    assert sorted(told) == [
        f"hipport: {tree}/{name}: larger than 0 MiB (leave it out with --exclude)"
        for name in ("CMakeLists.txt", "large.cu", "large.py")
    ]
    for name in ("large.cu", "plain.cpp", "CMakeLists.txt", "large.py"):
        assert (output / name).read_bytes() == (tree / name).read_bytes()
    assert HIP in (output / "small.cu").read_text()


def test_an_audit_takes_less_than_a_conversion() -> None:
    assert size_limit.TO_AUDIT.keys() == size_limit.TO_CONVERT.keys()
    assert max(size_limit.TO_CONVERT.values()) == 16 << 20
