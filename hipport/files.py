"""Finds the files of a tree and writes files so that each is whole, old or new."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from hipport.errors import HipportError

_VERSION_CONTROL = frozenset((".git", ".hg", ".svn", ".jj"))


class _Ignore(Protocol):
    def match_file(self, file: str) -> bool | None: ...


def walk(root: Path) -> Iterator[PurePosixPath]:
    """The paths of all files and symbolic links below a folder, relative to it, sorted.

    What a .gitignore in the tree leaves out is left out, and so are version-control folders.
    Symbolic links are listed, never followed.
    """
    yield from _walk(root, PurePosixPath(), ())


def _walk(
    root: Path, folder: PurePosixPath, ignores: tuple[tuple[PurePosixPath, _Ignore], ...]
) -> Iterator[PurePosixPath]:
    try:
        entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
    except OSError as error:
        raise HipportError(f"{root / folder}: cannot list the folder: {error.strerror}") from error
    if any(entry.name == ".gitignore" and entry.is_file() for entry in entries):
        ignores = (*ignores, (folder, _read_gitignore(root / folder / ".gitignore")))
    for entry in entries:
        path = folder / entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and entry.name in _VERSION_CONTROL:
            continue
        if ignores and _is_ignored(path, is_folder, ignores):
            continue
        if is_folder:
            yield from _walk(root, path, ignores)
        elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
            yield path


def _read_gitignore(path: Path) -> _Ignore:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(path.read_text("utf-8", "surrogateescape").splitlines())


def _is_ignored(
    path: PurePosixPath, is_folder: bool, ignores: tuple[tuple[PurePosixPath, _Ignore], ...]
) -> bool:
    suffix = "/" if is_folder else ""
    return any(spec.match_file(f"{path.relative_to(folder)}{suffix}") for folder, spec in ignores)


def read(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes."""
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise HipportError(f"{path}: not a regular file", remedy="leave it out")
            data = file.read(limit + 1)
    except OSError as error:
        raise HipportError(f"{path}: cannot read: {error.strerror}") from error
    if len(data) > limit:
        raise HipportError(
            f"{path}: larger than {limit >> 20} MiB", remedy="leave it out with --exclude"
        )
    return data


def write(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file whole: to a temporary file beside it that then takes its name."""
    with _replacing(path, mode) as file:
        file.write(data)


def copy(source: Path, target: Path) -> None:
    """Copy a file's bytes and permissions, in pieces; the target is whole or not there."""
    with source.open("rb") as original:
        status = os.fstat(original.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise HipportError(f"{source}: not a regular file", remedy="leave it out")
        with _replacing(target, status.st_mode) as file:
            shutil.copyfileobj(original, file, 1 << 20)


@contextmanager
def _replacing(path: Path, mode: int) -> Iterator[BinaryIO]:
    """A file to write to that takes the path's place when all went well."""
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".hipport-", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            yield file
        Path(temporary).chmod(stat.S_IMODE(mode))
        Path(temporary).replace(path)
    except BaseException as error:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
        if isinstance(error, OSError):
            raise HipportError(
                f"{path}: cannot write: {error.strerror}", remedy="check space and permissions"
            ) from error
        raise
