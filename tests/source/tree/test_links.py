"""Symbolic links in a tree: how much work they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.source.tree.task_list import Wishes, plan

_NUMBER = 30


def test_the_files_of_a_tree_are_not_looked_at_again_for_each_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(_NUMBER):
        (tmp_path / f"{number}.cu").write_text("int x;\n")
        (tmp_path / f"to_{number}.cu").symlink_to(f"{number}.cu")
    asked: list[str] = []
    real = os.path.realpath

    def counted(path: str, *, strict: bool = False) -> str:
        asked.append(str(path))
        return real(path, strict=strict)

    monkeypatch.setattr(os.path, "realpath", counted)
    wishes = Wishes(converts=True, output=tmp_path.parent / "out", endings={".cu": ".hip"})
    tasks = list(plan([str(tmp_path)], wishes, print))
    assert [each.link for each in tasks if each.is_link] == sorted(
        f"{number}.hip" for number in range(_NUMBER)
    )
    # Each file once, each link and its tree.
    assert len(asked) < 4 * _NUMBER
