"""Finding files and writing them whole: `hipport.files`."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.files import Found, copy, link, make_folder, read, rename, walk, write
from tests.support.command import listing, make_tree


def walked(root: Path) -> list[str]:
    """What is found below a folder and not ignored; nothing may go wrong."""
    errors: list[HipportError] = []
    found = [each.path for each in walk(root, errors.append) if not each.is_ignored]
    assert errors == []
    return found


def test_folders_are_walked_in_order(tmp_path: Path) -> None:
    make_tree(tmp_path, dict.fromkeys(["b/2", "b/1", "a", "c", "b.x", "B", "b/é", "b/d/e"], ""))
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("b")
    (tmp_path / "loop").symlink_to("loop")
    names = ["B", "a", "b/1", "b/2", "b/d/e", "b/é", "b.x", "c", "link", "loop"]
    assert walked(tmp_path) == names


@pytest.mark.parametrize(
    ("ignores", "left"),
    [
        ({".gitignore": ""}, ["a.o", "s/a.o", "s/t/a.o", "s/t/b"]),
        ({".gitignore": "*.o\n"}, ["s/t/b"]),
        ({".gitignore": "/a.o\r\n# b\n\n"}, ["s/a.o", "s/t/a.o", "s/t/b"]),
        ({".gitignore": "s/\n!s/t/b\n"}, ["a.o"]),
        ({".gitignore": "*.o\n!/s/t/*.o\n"}, ["s/t/a.o", "s/t/b"]),
        ({".gitignore": "*.o\n", "s/.gitignore": "!a.o\n"}, ["s/a.o", "s/t/a.o", "s/t/b"]),
        ({"s/.gitignore": "/t\n"}, ["a.o", "s/a.o"]),
        ({"s/.gitignore": "*\n!t/\n!b\n"}, ["a.o", "s/t/b"]),
        ({"s/t/.gitignore": "*.o\n"}, ["a.o", "s/a.o", "s/t/b"]),
        ({".gitignore": "**/t/*.o\n"}, ["a.o", "s/a.o", "s/t/b"]),
        ({".gitignore": "!\n\\\n[z-a]\nb\n"}, ["a.o", "s/a.o", "s/t/a.o"]),
        ({".gitignore": b"\xff\nb\n"}, ["a.o", "s/a.o", "s/t/a.o"]),
    ],
)
def test_ignore_files(tmp_path: Path, ignores: dict[str, str | bytes], left: list[str]) -> None:
    make_tree(tmp_path, {**dict.fromkeys(["a.o", "s/a.o", "s/t/a.o", "s/t/b"], ""), **ignores})
    assert [name for name in walked(tmp_path) if not name.endswith(".gitignore")] == left


def test_ignored_files_are_marked_and_ignored_folders_left_out(tmp_path: Path) -> None:
    make_tree(tmp_path, {".gitignore": "*.o\nbuild/\n", "a.o": "", "build/x": "", "s/build": ""})
    errors: list[HipportError] = []
    assert list(walk(tmp_path, errors.append)) == [
        Found(".gitignore", False, False),
        Found("a.o", True, False),
        Found("s/build", False, False),
    ]


def test_an_ignore_file_that_is_a_link_or_folder_says_nothing(tmp_path: Path) -> None:
    """As in git, which follows no symbolic link for it: gitignore(5)."""
    make_tree(tmp_path, {"patterns": "a\n", "a": "", "s/.gitignore/x": "", "s/a": ""})
    (tmp_path / ".gitignore").symlink_to("patterns")
    assert walked(tmp_path) == [".gitignore", "a", "patterns", "s/.gitignore/x", "s/a"]


def test_version_control_folders_are_left_out(tmp_path: Path) -> None:
    names = [".git/a", ".hg/a", ".svn/a", ".jj/a", "s/.git/a", ".github/a", "x/.git"]
    make_tree(tmp_path, dict.fromkeys(names, ""))
    assert walked(tmp_path) == [".github/a", "x/.git"]


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    errors: list[HipportError] = []
    assert list(walk(tmp_path / "nowhere", errors.append)) == []
    gone = (
        "cannot list the folder: No such file or directory (check its name; it may have gone away)"
    )
    assert [str(each) for each in errors] == [f"{tmp_path}/nowhere: {gone}"]


def test_writing_makes_folders_and_replaces_links(tmp_path: Path) -> None:
    make_tree(tmp_path, {"other": "kept"})
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").symlink_to("../other")
    write(tmp_path / "a/b", b"new", 0o640)
    write(tmp_path / "x/y/z", b"deep")
    assert (tmp_path / "a/b").read_bytes() == b"new"
    assert not (tmp_path / "a/b").is_symlink()
    assert (tmp_path / "a/b").stat().st_mode & 0o7777 == 0o640
    assert (tmp_path / "x/y/z").read_bytes() == b"deep"
    assert (tmp_path / "other").read_text() == "kept"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_writing_keeps_the_owner(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a": ""})
    os.chown(tmp_path / "a", 1234, 5678)
    write(tmp_path / "a", b"new")
    status = (tmp_path / "a").stat()
    assert (status.st_uid, status.st_gid, status.st_size) == (1234, 5678, 3)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    make_tree(tmp_path, {"d/f": "old"})
    for path, reason in ((tmp_path / "d", "Is a directory"), (tmp_path / "d/f/x", "File exists")):
        with pytest.raises(HipportError) as caught:
            write(path, b"new")
        remedy = "check the path and the disk"
        assert str(caught.value) == f"{path}: cannot write: {reason} ({remedy})"
    assert listing(tmp_path) == ["d"]
    assert listing(tmp_path / "d") == ["f"]
    assert (tmp_path / "d/f").read_text() == "old"


def test_a_name_as_long_as_it_may_be(tmp_path: Path) -> None:
    write(tmp_path / ("n" * 255), b"new")
    with pytest.raises(HipportError, match=r"File name too long \(give it a shorter name\)$"):
        write(tmp_path / ("n" * 256), b"new")
    assert listing(tmp_path) == ["n" * 255]


def test_copying_keeps_bytes_and_mode(tmp_path: Path) -> None:
    data = bytes(range(256)) * 9000
    make_tree(tmp_path, {"a": data, "b": "old"})
    (tmp_path / "a").chmod(0o555)
    copy(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == data
    assert (tmp_path / "b").stat().st_mode & 0o7777 == 0o555
    with pytest.raises(HipportError, match="cannot read: No such file"):
        copy(tmp_path / "nowhere", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == data


def test_links_replace_files_and_links_but_no_folders(tmp_path: Path) -> None:
    make_tree(tmp_path, {"file": "", "folder/x": ""})
    for name in ("file", "new/link"):
        for says in ("one", "two/"):
            link(tmp_path / name, says)
            assert os.readlink(tmp_path / name) == says  # noqa: PTH115
    with pytest.raises(HipportError, match="folder: cannot write: Is a directory"):
        link(tmp_path / "folder", "one")
    assert listing(tmp_path) == ["file", "folder", "new"]
    assert listing(tmp_path / "new") == ["link"]


def test_reading_is_limited(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a": b"x" * (1 << 20)})
    assert read(tmp_path / "a", 1 << 20) == b"x" * (1 << 20)
    with pytest.raises(HipportError, match=r"a: larger than 1 MiB \(leave it out with --exclude"):
        make_tree(tmp_path, {"a": b"x" * ((1 << 20) + 1)})
        read(tmp_path / "a", 1 << 20)


@pytest.mark.parametrize("name", ["folder", "fifo", "device"])
def test_only_regular_files_are_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "device").symlink_to("/dev/zero")
    with pytest.raises(HipportError, match=r"not a regular file \(take it out of the tree\)$"):
        read(tmp_path / name, 10)


def test_a_folder_to_write_to_is_made_and_left_empty(tmp_path: Path) -> None:
    for _ in range(2):
        make_folder(tmp_path / "a/b")
        assert listing(tmp_path / "a/b") == []


def test_renaming_what_is_gone_is_told(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a": ""})
    rename(tmp_path / "a", tmp_path / "b")
    assert listing(tmp_path) == ["b"]
    with pytest.raises(HipportError, match="a: cannot rename: No such file or directory"):
        rename(tmp_path / "a", tmp_path / "b")


def test_a_device_or_a_pipe_is_written_to_not_replaced(tmp_path: Path) -> None:
    """As root, replacing would take /dev/null away from every program."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, b"report")
    assert os.read(reader, 100) == b"report"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)
