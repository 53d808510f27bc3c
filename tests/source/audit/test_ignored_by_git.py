"""What git tracks is read whatever .gitignore says; what it ignores is counted, with the reason."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

CUDA = "__global__ void k(int *p) { *p = __ballot(1); }\n"
FILES = {
    ".gitignore": "*.cuh\nbuild/\nlocal.cu\n",
    "src/a.cuh": CUDA,
    "src/b.cuh": CUDA,
    "build/kept.cu": CUDA,
    "build/made.cu": CUDA,
    "build/deep/made.cu": CUDA,
    "out/build/made.cu": CUDA,
    "local.cu": CUDA,
}
TRACKED = ["src/a.cuh", "build/kept.cu"]
IGNORED = "named in .gitignore, and not tracked by git"


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    make_tree(tmp_path / "tree", FILES)
    git(tmp_path / "tree", "init", "-q")
    git(tmp_path / "tree", "add", "-f", ".gitignore", *TRACKED)
    return tmp_path / "tree"


def audited(folder: Path, path: str = ".") -> dict[str, dict[str, str]]:
    _, out, _ = hipport("audit", path, "--format", "json", "--fail-on", "never", cwd=folder)
    return {each["path"]: each for each in json.loads(out)["files"]}


def test_what_git_tracks_is_read_and_the_rest_is_counted(tree: Path) -> None:
    files = audited(tree)
    read = sorted(path for path, each in files.items() if each["status"] == "audited")
    assert read == sorted(TRACKED)
    left_out = {path: each["reason"] for path, each in files.items() if "reason" in each}
    assert left_out == {
        "build/deep": f"{IGNORED}: 1 CUDA source in the folder",
        "build/made.cu": IGNORED,
        "local.cu": IGNORED,
        "out/build": f"{IGNORED}: 1 CUDA source in the folder",
        "src/b.cuh": IGNORED,
    }


def test_a_part_of_a_working_tree(tree: Path) -> None:
    files = audited(tree, "build")
    assert files["build/kept.cu"]["status"] == "audited"


def test_without_an_index_the_patterns_decide(tmp_path: Path) -> None:
    make_tree(tmp_path, FILES)
    files = audited(tmp_path)
    assert files["src/a.cuh"]["reason"] == IGNORED
    assert files["build"]["reason"] == f"{IGNORED}: 3 CUDA sources in the folder"


def test_a_submodule_has_an_index_of_its_own(tree: Path, tmp_path: Path) -> None:
    other = make_tree(tmp_path / "other", {"x.cuh": CUDA})
    git(other, "init", "-q")
    git(other, "add", ".")
    git(other, "commit", "-qm", "x")
    git(tree, "-c", "protocol.file.allow=always", "submodule", "add", "-f", str(other), "build/sub")
    files = audited(tree)
    assert files["build/sub/x.cuh"]["status"] == "audited"


def test_strict_does_not_mind(tree: Path) -> None:
    assert hipport("audit", ".", "--strict", "--fail-on", "never", cwd=tree).code == 0


def test_git_is_not_run(tree: Path, tmp_path: Path) -> None:
    """Neither what the tree configures nor an index that blocks."""
    git(tree, "config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    (tree / ".git/index").unlink()
    os.mkfifo(tree / ".git/index")
    assert audited(tree)["src/a.cuh"]["reason"] == IGNORED
    assert not (tmp_path / "ran").exists()


def test_the_copy_that_convert_makes_has_what_git_tracks(tree: Path) -> None:
    assert hipport("convert", ".", "-o", "../out", cwd=tree).code in (0, 1)
    out = tree.parent / "out"
    copied = {str(each.relative_to(out)) for each in out.rglob("*.cu*")}
    assert copied == {"build/kept.cu", "build/made.cu", "local.cu", "src/a.cuh", "src/b.cuh"}
    assert "hip" in (out / "src/a.cuh").read_text()
    assert (out / "src/b.cuh").read_text() == CUDA
