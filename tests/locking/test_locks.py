"""Which runs a lock of a folder keeps out, with each kind of lock."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.locking import Lock, Locks
from hipport.locking.lock_files import FileLocks
from hipport.locking.lock_folders import FolderLock

Open = Callable[[Path], Lock]


@pytest.fixture(params=[FolderLock, FileLocks])
def open_lock(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Open:
    """Makes a lock of one kind; locked files go into a folder of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made: Open = request.param
    return made


@pytest.mark.parametrize(
    ("first", "second", "is_free"),
    [(True, True, False), (True, False, False), (False, True, False), (False, False, True)],
)
def test_only_shared_locks_go_together(
    open_lock: Open, tmp_path: Path, first: bool, second: bool, is_free: bool
) -> None:
    one, other = open_lock(tmp_path), open_lock(tmp_path)
    assert one.take(alone=first)
    assert other.take(alone=second) is is_free
    one.close()
    assert other.take(alone=second)
    other.close()


def test_a_shared_lock_becomes_one_alone(open_lock: Open, tmp_path: Path) -> None:
    one, other = open_lock(tmp_path), open_lock(tmp_path)
    assert one.take(alone=False)
    assert one.take(alone=True)
    assert not other.take(alone=False)
    one.close()
    other.close()


def test_the_holder_of_a_folder_is_named(tmp_path: Path) -> None:
    one, other = FolderLock(tmp_path), FolderLock(tmp_path)
    assert one.take(alone=True)
    assert other.holder() == f" (process {os.getpid()})"
    one.close()
    assert other.holder() == ""
    other.close()


def test_a_tree_is_held_with_all_in_it_and_against_all_above(tmp_path: Path) -> None:
    tree, inside = tmp_path / "tree", tmp_path / "tree" / "inside"
    inside.mkdir(parents=True)
    with Locks() as held:
        held.hold([tree], [])
        assert held.is_alone(inside)
        assert not held.is_alone(tmp_path)
        for refused in (tree, tmp_path):
            with Locks() as other, pytest.raises(HipportError, match="is at work in this folder"):
                other.hold([refused], [])
        with Locks() as other, pytest.raises(HipportError, match="is at work in this folder"):
            other.hold([], [inside])
    with Locks() as other:
        other.hold([tree], [])


def test_folders_are_shared(tmp_path: Path) -> None:
    with Locks() as held, Locks() as other:
        held.hold([], [tmp_path])
        other.hold([], [tmp_path])
        assert not held.is_alone(tmp_path)


def test_a_folder_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    with Locks() as locks:
        locks.hold([tmp_path / "missing"], [])
        assert not locks.is_alone(tmp_path / "missing")
