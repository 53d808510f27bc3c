"""The lines of audited files, read again for what stands at a finding."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.source.project import LARGEST_SOURCE, Task


class SourceLines:
    """Path in the report -> the file's lines. Keeps the last file: findings come by file."""

    def __init__(self, tasks: Iterable[Task] = ()) -> None:
        self._sources: dict[str, Path] = {each.name: each.source for each in tasks}
        self._last: tuple[str, list[str]] = ("", [])

    def of(self, path: str) -> list[str]:
        """All lines without their ends; none for a file that cannot be read (any more)."""
        if self._last[0] != path:
            self._last = (path, self._read(path))
        return self._last[1]

    def at(self, path: str, number: int) -> str:
        """One line, counted from 1; "" if there is none of that number."""
        lines = self.of(path)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def _read(self, path: str) -> list[str]:
        if path not in self._sources:
            return []
        try:
            data = read(self._sources[path], LARGEST_SOURCE)
        except HipportError:
            return []
        if b"\0" in data:
            return []
        return [line.rstrip("\r") for line in data.decode("utf-8-sig", "replace").split("\n")]
