"""What git has a copy of, read from its index: running git could run what a tree configures.

The format is that of gitformat-index(5), versions 2 to 4.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple

_LARGEST = 1 << 30
_STATS = 40
"""Bytes of an entry before the object's name: times, device, inode, mode, owner and size."""
_EXTENDED = 0x4000
_STAGE = 0x3000
_NAME_SIZES = {"sha1": 20, "sha256": 32}
_COMMIT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class _Entry(NamedTuple):
    path: bytes
    blob: bytes
    is_merged: bool


class GitIndex:
    """The files of a working tree as they were last added or committed."""

    def __init__(self, top: Path) -> None:
        """`top` has `.git`. An index that cannot be read has no file."""
        self._top = top
        try:
            folder = _folder(top)
            self._hash = _hash(folder)
            data = _content(folder / "index")
            self._entries = list(_entries(data, _NAME_SIZES[self._hash]))
        except (OSError, ValueError, IndexError):
            self._entries = []
        self._blobs = {each.path: each.blob for each in self._entries if each.is_merged}

    def has(self, path: Path, data: bytes) -> bool:
        """Whether git has a copy of a file with this content; line ends do not matter."""
        blob = self._blobs.get(bytes(path.relative_to(self._top)))
        # What git converts on the way in (gitattributes(5), "text") is known by neither text.
        texts = (data, data.replace(b"\r\n", b"\n"))
        return blob is not None and any(blob == self._name(text) for text in texts)

    def paths(self) -> Iterator[str]:
        """The files that git tracks, relative to the folder that has `.git`."""
        return (os.fsdecode(each.path) for each in self._entries)

    def _name(self, data: bytes) -> bytes:
        """The name of a blob: gitformat-pack(5) and git-hash-object(1)."""
        # Only what is overwritten is compared: what git ignores does not need this.
        import hashlib

        return hashlib.new(self._hash, b"blob %d\0" % len(data) + data).digest()


def working_tree(path: Path) -> Path | None:
    """The nearest folder at or above an absolute path that has `.git`."""
    return next((each for each in (path, *path.parents) if (each / ".git").exists()), None)


def commit_of(path: Path) -> str:
    """The commit that is checked out at an absolute path; "" where git tracks nothing there.

    gitrepository-layout(5): HEAD has it, or names the file that has it, which may be packed.
    """
    top = working_tree(path)
    if top is None or not Tracked(path if path.is_dir() else path.parent).has_any():
        return ""
    try:
        folder = _folder(top)
        head = _text(folder / "HEAD").strip()
        _, is_name, name = head.partition("ref: ")
        found = _reference(folder, name) if is_name else head
    except (OSError, ValueError):
        return ""
    return found if _COMMIT.fullmatch(found) else ""


def _reference(folder: Path, name: str) -> str:
    """The commit that a reference like `refs/heads/main` names."""
    if ".." in PurePosixPath(name).parts or name.startswith("/"):
        raise ValueError("the reference leads out of git's folder")
    shared = folder / "commondir"
    if shared.is_file():
        folder /= _text(shared).strip()
    if (folder / name).is_file():
        return _text(folder / name).strip()
    rows = (row.partition(" ") for row in _text(folder / "packed-refs").splitlines())
    return next((commit for commit, _, packed in rows if packed == name), "")


class Tracked:
    """Which files below a folder git tracks, whatever .gitignore says: gitignore(5), "NOTES"."""

    def __init__(self, folder: Path) -> None:
        """The index is read when it is first asked about; without one, nothing is tracked."""
        self._folder = folder
        self._files: frozenset[str] | None = None
        self._folders: frozenset[str] = frozenset()

    def has_file(self, path: str) -> bool:
        """Whether git tracks the file at a path relative to the folder."""
        return path in self._read()

    def has_folder(self, path: str) -> bool:
        """Whether git tracks a file below a path relative to the folder, or a submodule there."""
        return path in self._read() or path in self._folders

    def has_any(self) -> bool:
        """Whether git tracks any file there."""
        return bool(self._read())

    def _read(self) -> frozenset[str]:
        if self._files is None:
            real = Path(os.path.realpath(self._folder))
            top = working_tree(real)
            found = set(_below(GitIndex(top), real.relative_to(top))) if top else set()
            self._files = frozenset(found)
            self._folders = frozenset(above for each in found for above in _above(each))
        return self._files


def _below(index: GitIndex, folder: Path) -> Iterator[str]:
    """The files in a folder relative to it; "" for the folder itself, a submodule."""
    inside = "".join(f"{each}/" for each in folder.parts)
    for path in index.paths():
        if f"{path}/".startswith(inside):
            yield path[len(inside) :]


def _above(path: str) -> Iterator[str]:
    """The folders that a file is in."""
    while path := path.rpartition("/")[0]:
        yield path


def _folder(top: Path) -> Path:
    """git's own folder; gitrepository-layout(5): in other working trees `.git` is a file."""
    git = top / ".git"
    if git.is_dir():
        return git
    _, _, folder = _text(git).partition("gitdir: ")
    return top / folder.strip()


def _text(path: Path) -> str:
    return _content(path).decode("utf-8", "surrogateescape")


def _content(path: Path) -> bytes:
    """The bytes of a regular file; ValueError for what would block, or take all memory."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
        raise ValueError("no file of git's")
    return path.read_bytes()


def _hash(folder: Path) -> str:
    """The algorithm that names objects: git-config(1), "extensions.objectFormat"."""
    shared = folder / "commondir"
    if shared.is_file():  # gitrepository-layout(5): what several working trees share is there.
        folder /= _text(shared).strip()
    is_new = re.search(rb"(?im)^\s*objectformat\s*=\s*sha256", _content(folder / "config"))
    return "sha256" if is_new else "sha1"


def _entries(data: bytes, name_size: int) -> Iterator[_Entry]:
    """The entries; raises ValueError where the bytes end too early."""
    version = int.from_bytes(data[4:8], "big")
    if data[:4] != b"DIRC" or not 2 <= version <= 4:
        raise ValueError("no index")
    at, path = 12, b""
    for _ in range(int.from_bytes(data[8:12], "big")):
        start = at
        name = at + _STATS
        blob, at = data[name : name + name_size], name + name_size
        flags = int.from_bytes(data[at : at + 2], "big")
        at += 4 if flags & _EXTENDED and version > 2 else 2
        kept = b""
        if version == 4:
            number, at = _variable(data, at)
            kept = path[: len(path) - number]
        end = data.index(b"\0", at)
        path = kept + data[at:end]
        at = end + 1
        if version < 4:  # One to eight zero bytes make the entry a multiple of eight.
            at = start + (end - start + 8) // 8 * 8
        yield _Entry(path, blob, not flags & _STAGE)


def _variable(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable width, as gitformat-pack(5) has it for offsets, and where it ends."""
    number = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        number = ((number + 1) << 7) | (data[at] & 0x7F)
    return number, at + 1
