"""What goes wrong in a way the user can mend."""

from __future__ import annotations

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
