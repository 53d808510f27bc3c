"""Finds the files of a tree and writes files so that each is whole, old or new."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from hipport.errors import HipportError, os_error
from hipport.ignore import Patterns, parse
from hipport.named_tuples import NamedTuple

if TYPE_CHECKING:
    from hipport.gitindex import Tracked

MEMORY = ".hipport"
"""The folder in which a converted tree remembers what was converted into it."""
_NOT_WALKED = frozenset((".git", ".hg", ".svn", ".jj", MEMORY))
_TEMPORARY = ".hipport-"
_DIGITS = 16
_LARGEST_IGNORE_FILE = 1 << 20
_PIECE = 1 << 20
# Windows has O_BINARY alone, and needs it.
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0)
_ZEROS = bytes(_PIECE)
# Of many files the paths are plain texts: Path objects take as long as reading a small file.
_AnyPath = str | Path


class Found(NamedTuple):
    """A file or symbolic link; ignored is what .gitignore names and git does not track."""

    path: str
    """Where it is in the tree, with slashes."""
    is_ignored: bool
    is_link: bool


class _Rules(NamedTuple):
    """What git says about a folder: patterns by the folder of their file, and what it tracks."""

    ignores: tuple[tuple[str, Patterns], ...]
    is_ignored: bool
    """Whether all of it is ignored but what git tracks."""
    tree: str
    """The folder that `tracked` is about. These folders end in a slash, but for the tree's."""
    tracked: Tracked

    def leave_out(self, path: str, *, is_folder: bool) -> bool:
        """Whether a path is ignored, as if nothing were tracked; deeper files come first."""
        for folder, patterns in () if self.is_ignored else reversed(self.ignores):
            found = patterns.verdict(path.removeprefix(folder), is_folder=is_folder)
            if found is not None:
                return found
        return self.is_ignored

    def track(self, path: str, *, is_folder: bool) -> bool:
        """Whether git tracks a file, or a file below a folder."""
        has = self.tracked.has_folder if is_folder else self.tracked.has_file
        return has(path.removeprefix(self.tree))


def walk(
    root: Path,
    on_error: Callable[[HipportError], None],
    on_ignored: Callable[[str], None] = lambda _: None,
) -> Iterator[Found]:
    """Everything but folders below a folder, relative to it, sorted by folder.

    Folders that a .gitignore in the tree names, and of which git tracks nothing, go to `on_ignored`
    and are left out; so are folders of version control, and what is this program's own.
    Symbolic links are listed, never followed. What cannot be listed goes to `on_error`.
    """
    from hipport.gitindex import Tracked

    pending: list[tuple[str, os.DirEntry[str] | None, bool, _Rules]]
    pending = [("", None, False, _Rules((), False, "", Tracked(root)))]
    while pending:
        path, entry, is_ignored, rules = pending.pop()
        if entry and not entry.is_dir(follow_symlinks=False):
            yield Found(path, is_ignored, entry.is_symlink())
            continue
        try:
            with os.scandir(root / path) as scan:
                entries = sorted(scan, key=lambda each: each.name)
        except OSError as error:
            on_error(os_error(root / path, "cannot list the folder", error))
            continue
        rules = _rules_inside(root, path, entries, rules._replace(is_ignored=is_ignored), on_error)
        inside = f"{path}/" if path else ""
        for each in reversed(entries):
            below, is_folder = f"{inside}{each.name}", each.is_dir(follow_symlinks=False)
            if each.name in _NOT_WALKED if is_folder else _is_temporary(each.name):
                continue
            is_ignored = rules.leave_out(below, is_folder=is_folder)
            is_tracked = is_ignored and rules.track(below, is_folder=is_folder)
            if is_folder and is_ignored and not is_tracked:
                on_ignored(below)
            else:  # Of a folder that is ignored, only what git tracks inside is not.
                is_ignored = is_ignored and (is_folder or not is_tracked)
                pending.append((below, each, is_ignored, rules))


def _rules_inside(
    root: Path,
    path: str,
    entries: list[os.DirEntry[str]],
    rules: _Rules,
    on_error: Callable[[HipportError], None],
) -> _Rules:
    """The rules of a folder: those from above, its patterns, and its index if it has one."""
    names = {each.name: each for each in entries if each.name in (".git", ".gitignore")}
    inside = f"{path}/" if path else ""
    if ".git" in names and path:  # A submodule, or another working tree.
        from hipport.gitindex import Tracked

        rules = rules._replace(tree=inside, tracked=Tracked(root / path))
    if ".gitignore" in names and names[".gitignore"].is_file(follow_symlinks=False):
        try:
            patterns = _read_gitignore(root / path / ".gitignore")
            rules = rules._replace(ignores=(*rules.ignores, (inside, patterns)))
        except HipportError as error:
            on_error(error)
    return rules


def _read_gitignore(path: Path) -> Patterns:
    text = read(path, _LARGEST_IGNORE_FILE).decode("utf-8", "surrogateescape")
    return parse(text.split("\n"))


def read(path: _AnyPath, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes."""
    descriptor = _descriptor(path)
    try:
        before = os.fstat(descriptor)
        # A buffer of the limit's size for each of many small files takes its time.
        size = min(before.st_size, limit)
        data = _read(descriptor, size + 1)
        if len(data) > size:
            data += _read(descriptor, limit + 1 - len(data))
        _refuse_change(path, before, os.fstat(descriptor))
    except OSError as error:
        raise os_error(path, "cannot read", error) from error
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise HipportError(
            f"{path}: larger than {limit >> 20} MiB", remedy="leave it out with --exclude"
        )
    return data


def _read(descriptor: int, most: int) -> bytes:
    """What is left of a file, up to so many bytes."""
    pieces = []
    while most and (piece := os.read(descriptor, most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _opened(path: _AnyPath) -> BinaryIO:
    """A regular file, open for reading."""
    return os.fdopen(_descriptor(path), "rb")


def _descriptor(path: _AnyPath) -> int:
    """A regular file, open for reading. Never waits, as opening a FIFO would."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _FLAGS | _NEVER_WAIT)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ENODEV):
            raise _irregular(path) from error
        raise os_error(path, "cannot read", error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _irregular(path)
    return descriptor


@contextmanager
def _unchanged(path: _AnyPath, file: BinaryIO) -> Iterator[None]:
    """Reading of a file that nobody writes to meanwhile: half of one is useless."""
    before = os.fstat(file.fileno())
    yield
    _refuse_change(path, before, os.fstat(file.fileno()))


def _refuse_change(path: _AnyPath, before: os.stat_result, after: os.stat_result) -> None:
    if (after.st_mtime_ns, after.st_size) != (before.st_mtime_ns, before.st_size):
        raise HipportError(f"{path}: changed while it was read", remedy="run again")


def _irregular(path: _AnyPath) -> HipportError:
    return HipportError(f"{path}: not a regular file", remedy="take it out of the tree")


def write(path: _AnyPath, data: bytes, mode: int = 0o644) -> None:
    """Write a file whole: to a temporary file beside it that then takes its name."""
    with replacing(path, mode) as file:
        file.write(data)


def copy(source: _AnyPath, target: _AnyPath) -> None:
    """Copy a file's bytes and permissions, in pieces; the target is whole or not there.

    Zeros become holes: a sparse file takes no more room than the original.
    """
    with _opened(source) as original:
        status = os.fstat(original.fileno())
        with replacing(target, status.st_mode) as file, _unchanged(source, original):
            # No further than it was: a file can grow as fast as it is read.
            while file.tell() < status.st_size and (piece := original.read(_PIECE)):
                if piece == _ZEROS:
                    file.seek(_PIECE, os.SEEK_CUR)
                else:
                    file.write(piece)
            file.truncate()


def has_leftovers(folder: str) -> bool:
    """Whether a run that was killed left files there that it was writing."""
    try:
        return any(map(_is_temporary, os.listdir(folder)))  # noqa: PTH208
    except OSError:
        return False


def sweep(folder: Path) -> None:
    """Delete what a run that was killed left of files it was writing. Call it under a lock."""
    with suppress(OSError), os.scandir(folder) as scan:
        for each in scan:
            if _is_temporary(each.name):
                Path(each.path).unlink()


def make_folder(path: Path) -> None:
    """Make a folder and those above it, and see that files can be written there."""
    try:
        _make_folder(path)
        descriptor, temporary = _temporary_file(path)
        os.close(descriptor)
        os.unlink(temporary)  # noqa: PTH108
    except OSError as error:
        raise os_error(path, "cannot write into the folder", error) from error


def _make_folder(path: _AnyPath) -> None:
    """As mkdir with parents, which calls itself once a level and so fails for a deep tree."""
    missing = []
    while path and not os.path.isdir(path):  # noqa: PTH112
        missing.append(path)
        path = os.path.dirname(path)  # noqa: PTH120
    for each in reversed(missing):
        Path(each).mkdir(exist_ok=True)


def link(path: Path, says: str) -> None:
    """Make a symbolic link, in place of whatever file or link has that name."""
    try:
        _make_folder(path.parent)
        temporary = Path(_temporary_name(path.parent))
        temporary.symlink_to(says)
        try:
            temporary.replace(path)
        except OSError:
            temporary.unlink()
            raise
    except OSError as error:
        raise os_error(path, "cannot write", error) from error


def rename(path: Path, new: Path) -> None:
    """Give a file or link another name in its folder."""
    try:
        path.rename(new)
    except OSError as error:
        raise os_error(path, "cannot rename", error) from error


@contextmanager
def replacing(path: _AnyPath, mode: int) -> Iterator[BinaryIO]:
    """A file to write to that takes the path's place, owner included, when all went well.

    A device or a pipe keeps its place, and is written to.
    """
    temporary = None
    try:
        old = _status(path)
        if old and _is_device(path, old):
            with open(path, "wb") as device:  # noqa: PTH123
                yield device
            return
        folder = os.path.dirname(path)  # noqa: PTH120
        try:
            descriptor, temporary = _temporary_file(folder)
        except (FileNotFoundError, NotADirectoryError):
            _make_folder(folder)
            descriptor, temporary = _temporary_file(folder)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            if os.name == "posix":  # Elsewhere a file has what its folder gives it.
                if old:
                    with suppress(OSError):
                        os.fchown(file.fileno(), old.st_uid, old.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException as error:
        if temporary:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
        if isinstance(error, OSError):
            raise os_error(path, "cannot write", error) from error
        raise


def _status(path: _AnyPath) -> os.stat_result | None:
    """What is at a path, a link itself included; None for nothing."""
    try:
        return os.lstat(path)
    except OSError:
        return None


def _is_device(path: _AnyPath, status: os.stat_result) -> bool:
    """Whether a path names what is neither a file nor a folder: /dev/null, /dev/stdout, a pipe."""
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        with suppress(OSError):
            mode = os.stat(path).st_mode  # noqa: PTH116
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def _temporary_file(folder: _AnyPath) -> tuple[int, str]:
    """A new file for this user alone, open for writing. (tempfile takes long to import.)"""
    path = _temporary_name(folder)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600), path


def _temporary_name(folder: _AnyPath) -> str:
    return os.path.join(folder, f"{_TEMPORARY}{os.urandom(_DIGITS // 2).hex()}")  # noqa: PTH118


def _is_temporary(name: str) -> bool:
    digits = name.removeprefix(_TEMPORARY)
    return len(digits) == _DIGITS and digits != name and not digits.strip("0123456789abcdef")
