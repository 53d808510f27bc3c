"""Unified diffs: what `patch` makes of them, and exactly how they look."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from hipport.report.unified_diff import diff


def text(path: str, old: bytes, new: bytes) -> str:
    return b"".join(diff(path, old, new)).decode()


@pytest.mark.parametrize("same", [b"", b"a", b"a\nb\n"])
def test_nothing_changed(same: bytes) -> None:
    assert list(diff("a", same, same)) == []


@pytest.mark.parametrize(
    ("old", "new", "hunk"),
    [
        (b"a\n", b"b\n", "@@ -1 +1 @@\n-a\n+b\n"),
        (b"", b"a\n", "@@ -0,0 +1 @@\n+a\n"),
        (b"a\nb\n", b"", "@@ -1,2 +0,0 @@\n-a\n-b\n"),
        (b"a", b"a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        (b"a\rb\n", b"a\rc\n", "@@ -1 +1 @@\n-a\rb\n+a\rc\n"),
        (
            b"1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            b"1\n2\n3\n4\nx\n6\n7\n8\n9\n",
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n",
        ),
    ],
)
def test_hunks(old: bytes, new: bytes, hunk: str) -> None:
    assert text("a.cu", old, new) == f"--- a/a.cu\n+++ b/a.cu\n{hunk}"


def test_a_name_with_blanks_ends_in_a_tab() -> None:
    assert text("a b", b"x\n", b"y\n").startswith("--- a/a b\t\n+++ b/a b\t\n@@")


def test_distant_changes_are_hunks_of_their_own() -> None:
    lines = [b"%d\n" % number for number in range(2000)]
    changed = list(lines)
    for place in (0, 199, 200, 201, 399, 1000, 1999):
        changed[place] = b"x\n"
    result = text("a", b"".join(lines), b"".join(changed))
    assert result.count("@@ -") == 5
    assert result.count("\n+x") == 7
    assert result.count("\n-") == 7


def test_lines_added_between_pieces_do_not_repeat_the_rest() -> None:
    lines = [b"%d\n" % number for number in range(1000)]
    new = [b"new\n"] * 5 + lines[:198] + [b"new\n"] * 150 + lines[198:]
    result = text("a", b"".join(lines), b"".join(new))
    assert result.count("\n-") == 0
    assert result.count("\n+new") == 155


@pytest.mark.parametrize("seed", range(20))
def test_patch_gives_the_new_text(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    words = [b"a\n", b"b\n", b"\r\n", b"\f\v\x85 c\n", b"}\n", b"\xff\n"]
    old = [chance.choice(words) for _ in range(chance.choice([3, 50, 1000]))]
    new = [
        chance.choice([line, b"new\n", b"", line + b"more\n"]) if chance.random() < 0.1 else line
        for line in old
    ]
    before, after = b"".join(old) + b"end", b"".join(new) + chance.choice([b"end", b"end\n"])
    file = tmp_path / "a b.cu"
    file.write_bytes(before)
    patch = b"".join(diff("a b.cu", before, after))
    command = ["patch", "-p1", "--binary", "--quiet"]
    subprocess.run(command, cwd=tmp_path, input=patch, check=True)
    assert file.read_bytes() == after
