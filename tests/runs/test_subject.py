"""What a report says that it is about: folders that git knows, and those that it does not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.gitindex import commit_of
from hipport.runs.subject import subject_of


def git(folder: Path, *arguments: str) -> str:
    given = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(given, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "src").mkdir(parents=True)
    (tree / "src/a.cu").write_text("int a;\n")
    (tree / "src/b.cu").write_text("int b;\n")
    git(tmp_path, "init", "--quiet", "--initial-branch", "main", str(tree))
    git(tree, "add", ".")
    git(tree, "commit", "--quiet", "--message", "first")
    return tree


def test_the_subject_has_name_path_commit_and_day(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    head = git(tree, "rev-parse", "HEAD")
    assert subject_of((tree,)) == ("tree", str(tree), head, "1970-01-02")
    assert subject_of((tree / "src/a.cu",))[:3] == ("a.cu", str(tree / "src/a.cu"), head)
    both = subject_of((tree / "src/a.cu", tree / "src/b.cu"))
    assert both[:3] == ("src", str(tree / "src"), head)
    assert subject_of(("-",)) == ("standard input", "", "", "1970-01-02")


def test_the_commit_is_the_one_that_git_has_checked_out(tree: Path) -> None:
    head = git(tree, "rev-parse", "HEAD")
    git(tree, "pack-refs", "--all")
    assert not (tree / ".git/refs/heads/main").exists()
    assert commit_of(tree) == head
    git(tree, "worktree", "add", "--quiet", "-b", "other", str(tree.parent / "second"))
    git(tree.parent / "second", "commit", "--quiet", "--allow-empty", "--message", "second")
    assert commit_of(tree.parent / "second") == git(tree.parent / "second", "rev-parse", "HEAD")
    git(tree, "checkout", "--quiet", "--detach", "other")
    assert commit_of(tree) == git(tree, "rev-parse", "other") != head


def test_what_git_does_not_track_has_no_commit(tree: Path) -> None:
    (tree / "build").mkdir()
    (tree / "build/c.cu").write_text("int c;\n")
    assert commit_of(tree / "build") == ""
    assert commit_of(tree.parent) == ""


@pytest.mark.parametrize(
    "head", ["", "ref: ../../secret", "ref: /etc/hostname", "no commit", "ref: refs/heads/none"]
)
def test_a_broken_head_has_no_commit(tree: Path, head: str) -> None:
    (tree.parent / "secret").write_text("0" * 40)
    (tree / ".git/HEAD").write_text(f"{head}\n")
    assert commit_of(tree) == ""
