"""`hipport convert --in-place` keeps its hands off what git has no copy of."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.gitindex import GitIndex, working_tree
from tests.support.command import Ran, hipport, make_tree

CUDA = "int f(void **p) { return cudaMalloc(p, 4); }\n"
REFUSED = (
    "hipport: {}: has changes that git has no copy of"
    " (git add or commit them; --backup .orig keeps originals; --force goes ahead)\n"
)


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    make_tree(tmp_path, {"src/a.cu": CUDA, "src/own.cc": "int x;\n"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    return tmp_path


def test_committed_and_staged_files_are_converted(tree: Path) -> None:
    assert hipport("convert", "--in-place", "src", cwd=tree) == Ran(0, "", "")
    (tree / "src/a.cu").write_text(CUDA * 2)
    git(tree, "add", ".")
    assert hipport("convert", "--in-place", "src", cwd=tree) == Ran(0, "", "")


@pytest.mark.parametrize("name", ["src/a.cu", "src/new.cu"])
def test_what_is_nowhere_else_is_refused(tree: Path, name: str) -> None:
    (tree / name).write_text(CUDA * 2)
    ran = hipport("convert", "--in-place", "src", cwd=tree)
    assert ran == Ran(2, "", REFUSED.format(name))
    assert (tree / "src/a.cu").read_text().startswith(CUDA)
    assert (tree / name).read_text() == CUDA * 2


@pytest.mark.parametrize("option", [["--force"], ["--backup", ".orig"]])
def test_on_request_it_is_converted(tree: Path, option: list[str]) -> None:
    (tree / "src/a.cu").write_text(CUDA * 2)
    assert hipport("convert", "--in-place", *option, "src", cwd=tree) == Ran(0, "", "")
    assert "hipMalloc" in (tree / "src/a.cu").read_text()


def test_a_changed_file_that_stays_as_it_is_does_not_matter(tree: Path) -> None:
    (tree / "src/own.cc").write_text("int y;\n")
    assert hipport("convert", "--in-place", "src", cwd=tree) == Ran(0, "", "")


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_every_kind_of_index(tmp_path: Path, version: str, kind: str) -> None:
    files = {f"sub{n % 7}/{'x' * n}.c": f"{n}\n" for n in range(40)}
    make_tree(tmp_path / "own", {**files, "crlf.c": "a\r\nb\r\n"})
    top = tmp_path / "own"
    git(tmp_path, "init", "-q", f"--object-format={kind}", "own")
    git(top, "config", "core.autocrlf", "true")
    git(top, "add", ".")
    git(top, "add", "-N", ".")
    git(top, "update-index", f"--index-version={version}")
    index = GitIndex(top)
    for name, text in files.items():
        assert index.has(top / name, text.encode()), name
        assert not index.has(top / name, b"other")
    assert index.has(top / "crlf.c", b"a\r\nb\r\n")
    assert not index.has(top / "absent.c", b"")


def test_another_working_tree(tree: Path) -> None:
    git(tree, "worktree", "add", "-q", "other")
    top = working_tree(tree / "other/src")
    assert top == tree / "other"
    assert GitIndex(top).has(top / "src/a.cu", CUDA.encode())


@pytest.mark.parametrize("data", [b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff", b"x" * 100])
def test_a_damaged_index_has_nothing(tree: Path, data: bytes) -> None:
    (tree / ".git/index").write_bytes(data)
    assert not GitIndex(tree).has(tree / "src/a.cu", CUDA.encode())
