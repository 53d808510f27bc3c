"""Reads compile_commands.json (clang.llvm.org/docs/JSONCompilationDatabase.html)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.files import read
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import clang_arguments
from hipport.verification.build_flags import kept, plain

NAME = "compile_commands.json"
_LARGEST = 256 << 20


class Listed(NamedTuple):
    """A unit's arguments, and the folder in which relative paths of them begin."""

    arguments: tuple[str, ...]
    folder: Path


class Database:
    """The commands of a build; files of `original` mean those of `converted`."""

    def __init__(self, path: Path, original: Path | None, converted: Path | None) -> None:
        self.pair = (plain(original), plain(converted)) if original and converted else None
        self.commands: dict[Path, tuple[Path, list[str]]] = {}
        for row in _rows(path):
            folder = Path(row.get("directory", path.parent))
            found = self._moved(plain(folder / row["file"]))
            self.commands.setdefault(found, (folder, row["arguments"]))

    def arguments(self, path: Path) -> Listed | None:
        """The arguments clang takes for a file; None if the database lacks it."""
        found = self.commands.get(plain(path))
        if found is None:
            return None
        folder, words = found
        translated, _ = clang_arguments(load(), words[1:])
        return Listed(tuple(kept(translated, folder, self._moved)), folder)

    def command(self, path: Path) -> list[str]:
        """The words of the command for a file, unchanged; none if the database lacks it."""
        return self.commands.get(plain(path), (path, []))[1]

    def _moved(self, path: Path) -> Path:
        if self.pair and path.is_relative_to(self.pair[0]):
            moved = self.pair[1] / path.relative_to(self.pair[0])
            return moved if moved.exists() else path
        return path


def find_database(named: Path | None, roots: Sequence[Path]) -> Path | None:
    """The file named, or in the folder named, or at the root of a tree or in its build/."""
    if named:
        path = named / NAME if named.is_dir() else named
        if not path.is_file():
            raise HipportError(f"{path}: no such file", remedy="let CMake or bear write it")
        return path
    places = (root / part / NAME for root in roots for part in ("", "build"))
    return next((each for each in places if each.is_file()), None)


def _rows(path: Path) -> list[dict[str, Any]]:
    """The commands, each with its words as `arguments`."""
    try:
        rows = json.loads(read(path, _LARGEST))
        for row in rows:
            _ = row["file"] + row.get("command", "") + row.get("directory", "")
            _ = "".join(row.get("arguments", []))
            row["arguments"] = list(row.get("arguments") or shlex.split(row.get("command", "")))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise HipportError(
            f"{path}: not a compilation database ({error})", remedy="let CMake write it again"
        ) from error
    return list(rows)
