"""Errors that the user can fix."""

from __future__ import annotations

import errno
import os


class HipportError(Exception):
    """An error that names the place and the remedy; shown as one line, exit code 2."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class UsageError(HipportError):
    """The command was called in a way that cannot work."""


class RuleError(HipportError):
    """A rule file is malformed."""


_REMEDIES = {
    errno.EACCES: "check its permissions",
    errno.EINVAL: "name a file",
    errno.EPERM: "check its permissions",
    errno.ENOENT: "check its name; it may have gone away",
    errno.ENOSPC: "free some space, or choose another place with -o",
    errno.EDQUOT: "free some space, or choose another place with -o",
    errno.EFBIG: "raise the limit on file sizes, or choose another place with -o",
    errno.EROFS: "choose another place with -o",
    errno.ENAMETOOLONG: "give it a shorter name",
}


def os_error(path: str | os.PathLike[str], failed: str, error: OSError) -> HipportError:
    """The error as one that names the path, what failed, and what to do."""
    remedy = _REMEDIES.get(error.errno or 0, "check the path and the disk")
    return HipportError(f"{path}: {failed}: {error.strerror or error}", remedy=remedy)


def printable(text: str) -> str:
    """A text or path on one line: control characters and bytes that are not UTF-8 are escaped."""
    if text.isprintable():
        return text
    text = os.fsencode(text).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def logged(line: str) -> str:
    """A line of output that begins with a path, printable, and no command in a CI log.

    GitHub takes lines that begin with `::` for commands ("Workflow commands for GitHub Actions").
    """
    line = printable(line)
    return f"./{line}" if line.startswith("::") else line
