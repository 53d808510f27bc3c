"""Finds the headers that files of a tree include, as its build would with the right -I."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.source.tree.file_task import LARGEST_SOURCE
from hipport.verification.compiler_facts import knowledge

_INCLUDE = regex(rb'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]{1,400})[">]', re.MULTILINE)
_STANDARD = regex(r"[a-z][a-z0-9_]*")
_MOST_FILES = 5000


class SourceTree:
    """The source files below a folder, found by the end of their path."""

    def __init__(self, root: Path, files: Iterable[Path]) -> None:
        self.root = root.absolute()
        self.files = {Path(os.path.normpath(each.absolute())) for each in files}
        self._named: dict[str, list[Path]] = {}
        for path in sorted(self.files):
            self._named.setdefault(path.name, []).append(path)

    def include_folders(self, unit: Path) -> list[Path]:
        """The folders that are needed so that the unit, and what it includes, find what they
        include in the tree; in the order in which they are needed."""
        folders: dict[Path, None] = {}
        pending, seen = [unit], {unit}
        while pending and len(seen) < _MOST_FILES:
            file = pending.pop(0)
            for name, is_quoted in _included(file):
                first = (file.parent, *folders) if is_quoted else tuple(folders)
                found = self._resolved(name, file, folders, first)
                if found and found not in seen:
                    seen.add(found)
                    pending.append(found)
        return list(folders)

    def _resolved(
        self, name: str, file: Path, folders: dict[Path, None], first: Iterable[Path]
    ) -> Path | None:
        for folder in first:
            path = Path(os.path.normpath(folder / name))
            if path in self.files:
                return path
        plain = PurePosixPath(name)
        if plain.is_absolute() or ".." in plain.parts:
            return None
        ends = [
            path
            for path in self._named.get(plain.name, ())
            if path.parts[-len(plain.parts) :] == plain.parts
        ]
        if not ends:
            return None
        found = max(ends, key=lambda path: len(os.path.commonpath([path, file])))
        folders[found.parents[len(plain.parts) - 1]] = None
        return found


@cache
def _included(path: Path) -> list[tuple[str, bool]]:
    """The names in a file's include lines, without those of the system, and whether quoted."""
    try:
        data = read(path, LARGEST_SOURCE)
    except HipportError:
        return []
    found = (
        (name.decode("utf-8", "surrogateescape"), mark == b'"')
        for mark, name in _INCLUDE.findall(data)
    )
    return [(name, quoted) for name, quoted in found if quoted or not _is_of_system(name)]


def _is_of_system(name: str) -> bool:
    return _STANDARD.fullmatch(name) is not None or name in knowledge()["system_headers"]
