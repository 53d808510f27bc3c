"""The lines of audited files, read again for the text at a finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Protocol

from hipport.errors import HipportError
from hipport.files import read
from hipport.source.tree.file_task import LARGEST_SOURCE, Task

_FEW = 5_000
"""Tasks of which the paths are remembered."""
LONGEST = 400
"""Characters of a line that are kept; nobody reads longer lines."""
REACH = 2
"""Lines shown before and after the line of a finding."""


class Lines(Protocol):
    """Lines of files, by the path in the report and the line number, from 1."""

    def at(self, path: str, number: int) -> str:
        """One line; "" if it does not exist."""

    def around(self, path: str, number: int) -> list[tuple[int, str]]:
        """A line with REACH lines before and after it, each with its number; empty if the line
        does not exist."""


class SourceFiles:
    """The files under the paths of a report.

    Remembers the first of them. Among others it continues from the last file found: findings come
    in the order of the files. `tasks` can be read more than once.
    """

    def __init__(self, tasks: Iterable[Task] = ()) -> None:
        self._tasks = tasks
        self._rest = iter(tasks)
        self._last: tuple[str, Path | None] = ("", None)

    def of(self, path: str) -> Path | None:
        """The file; None for a path that no task has."""
        if self._last[0] != path:
            self._last = (path, self._found(path))
        return self._last[1]

    @cached_property
    def _first(self) -> dict[str, str]:
        return {each.name: each.source_path for each in islice(self._tasks, _FEW)}

    def _found(self, path: str) -> Path | None:
        if path in self._first:
            return Path(self._first[path])
        for _ in range(2 if len(self._first) == _FEW else 0):
            for task in self._rest:
                if task.name == path:
                    return task.source
            self._rest = iter(self._tasks)
        return None


class SourceLines:
    """Reads the files again. Keeps only the last one, as findings are grouped by file."""

    def __init__(self, tasks: Iterable[Task] = ()) -> None:
        self._files = SourceFiles(tasks)
        self._last: tuple[str, list[str]] = ("", [])

    def at(self, path: str, number: int) -> str:
        lines = self._of(path)
        return lines[number - 1][:LONGEST] if 0 < number <= len(lines) else ""

    def around(self, path: str, number: int) -> list[tuple[int, str]]:
        if not 0 < number <= len(self._of(path)):
            return []
        first, last = max(number - REACH, 1), min(number + REACH, len(self._of(path)))
        return [(each, self.at(path, each)) for each in range(first, last + 1)]

    def _of(self, path: str) -> list[str]:
        if self._last[0] != path:
            self._last = (path, self._read(path))
        return self._last[1]

    def _read(self, path: str) -> list[str]:
        """All lines without their ends; none for a file that can no longer be read."""
        source = self._files.of(path)
        if source is None:
            return []
        try:
            data = read(source, LARGEST_SOURCE)
        except HipportError:
            return []
        return [] if b"\0" in data else _lines(data)


class TextLines(SourceLines):
    """The lines of one text, which is split when the first is asked for."""

    def __init__(self, path: str, data: bytes) -> None:
        super().__init__()
        self._path, self._data = path, data

    def _read(self, path: str) -> list[str]:
        return _lines(self._data) if path == self._path else []


def _lines(data: bytes) -> list[str]:
    """All lines without their ends."""
    lines = data.decode("utf-8-sig", "replace").split("\n")
    return [line.rstrip("\r") for line in lines] if b"\r" in data else lines


class KnownLines:
    """Lines stored in a report, for when the files are not available."""

    def __init__(self) -> None:
        self._lines: dict[str, dict[int, str]] = {}

    def add(self, path: str, lines: Mapping[int, str]) -> None:
        self._lines.setdefault(path, {}).update(lines)

    def at(self, path: str, number: int) -> str:
        return self._lines.get(path, {}).get(number, "")

    def around(self, path: str, number: int) -> list[tuple[int, str]]:
        known = self._lines.get(path, {})
        if number not in known:
            return []
        near = range(number - REACH, number + REACH + 1)
        return [(each, known[each]) for each in near if each in known]
