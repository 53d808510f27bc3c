"""What git has a copy of: read from its index, as running git could run what a tree configures.

The format is that of gitformat-index(5), versions 2 to 4.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_LARGEST = 1 << 30
_STATS = 40
"""Bytes of an entry before the object's name: times, device, inode, mode, owner and size."""
_EXTENDED = 0x4000
_STAGE = 0x3000


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
            data = (folder / "index").read_bytes()
            entries = list(_entries(data, hashlib.new(self._hash).digest_size))
        except (OSError, ValueError, IndexError):
            entries = []
        self._blobs = {each.path: each.blob for each in entries if each.is_merged}

    def has(self, path: Path, data: bytes) -> bool:
        """Whether git has a copy of a file with this content; line ends do not matter."""
        blob = self._blobs.get(bytes(path.relative_to(self._top)))
        # What git converts on the way in (gitattributes(5), "text") is known by neither text.
        texts = (data, data.replace(b"\r\n", b"\n"))
        return blob is not None and any(blob == self._name(text) for text in texts)

    def _name(self, data: bytes) -> bytes:
        """The name of a blob: gitformat-pack(5) and git-hash-object(1)."""
        return hashlib.new(self._hash, b"blob %d\0" % len(data) + data).digest()


def working_tree(path: Path) -> Path | None:
    """The nearest folder at or above an absolute path that has `.git`."""
    return next((each for each in (path, *path.parents) if (each / ".git").exists()), None)


def _folder(top: Path) -> Path:
    """git's own folder; gitrepository-layout(5): in other working trees `.git` is a file."""
    git = top / ".git"
    if git.is_dir():
        return git
    _, _, folder = git.read_text(encoding="utf-8", errors="surrogateescape").partition("gitdir: ")
    return top / folder.strip()


def _hash(folder: Path) -> str:
    """The algorithm that names objects: git-config(1), "extensions.objectFormat"."""
    shared = folder / "commondir"
    if shared.is_file():  # gitrepository-layout(5): what several working trees share is there.
        folder /= shared.read_text(encoding="utf-8", errors="surrogateescape").strip()
    is_new = re.search(rb"(?im)^\s*objectformat\s*=\s*sha256", (folder / "config").read_bytes())
    return "sha256" if is_new else "sha1"


def _entries(data: bytes, name_size: int) -> Iterator[_Entry]:
    """The entries; raises ValueError where the bytes end too early."""
    version = int.from_bytes(data[4:8], "big")
    if data[:4] != b"DIRC" or not 2 <= version <= 4 or len(data) > _LARGEST:
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
