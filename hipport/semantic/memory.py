"""Remembers in the output folder what libclang said of each unit, while its files stay the same."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hipport import __version__
from hipport.errors import HipportError
from hipport.files import MEMORY, read, replacing
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.source.tree.file_task import LARGEST_SOURCE, Task
from hipport.source.tree.manifest import digest, packed, rules_digest, unpacked

_SCHEMA = "hipport-semantic/2"
_LARGEST = 64 << 20
_DAMAGE = (OSError, ValueError, zlib.error, TypeError, AttributeError)
# What an answer depends on through the unit's own files alone.
_OWN = "names"


class _Entry(NamedTuple):
    """What was asked, the files that were read with what they were, and the answers, packed."""

    asked: str
    read: dict[str, str]
    answers: bytes


class Memory:
    """The answers for the units of all trees; those without an output folder have none."""

    def __init__(self, tasks: Sequence[Task], made_with: Any, *, starts_over: bool) -> None:
        folders = {task.memory for task in tasks if task.memory}
        names = sorted(task.name for task in tasks)
        self.made_with = repr(
            (_SCHEMA, __version__, rules_digest((load().folder,)), made_with, names)
        )
        self.old = {each: {} if starts_over else _load(_file(each)) for each in folders}
        self.new: dict[Path, dict[str, _Entry]] = {each: {} for each in folders}
        self._stamps: dict[str, str] = {}

    def find(self, task: Task, job: dict[str, Any]) -> list[dict[str, Any]] | None:
        """What was answered the last time; None if anything may have changed since."""
        entry = self.old[task.memory].get(job["path"]) if task.memory else None
        if entry is None or entry.asked != self._asked(job):
            return None
        if any(self._stamp(path, job) != stamp for path, stamp in entry.read.items()):
            return None
        try:
            answers = list(_unpacked(entry.answers))
        except _DAMAGE:
            return None
        assert task.memory is not None
        self.new[task.memory][job["path"]] = entry
        return answers

    def put(self, task: Task, job: dict[str, Any], answers: list[dict[str, Any]]) -> None:
        """Remember the answers, unless the parser gave up."""
        if task.memory and not any("problem" in each for each in answers):
            paths = {path for each in answers for path in each["read"]}
            stamps = {path: self._stamp(path, job) for path in sorted(paths) if path}
            stamps.pop(job["prelude_path"], None)
            entry = _Entry(self._asked(job), stamps, _packed(answers))
            self.new[task.memory][job["path"]] = entry

    def write(self) -> None:
        for folder, entries in self.new.items():
            with replacing(_file(folder), 0o644) as file:
                for path, entry in sorted(entries.items()):
                    about = _packed([path, entry.asked, entry.read])
                    file.write(about + b"\t" + entry.answers + b"\n")

    def _asked(self, job: dict[str, Any]) -> str:
        rest = {key: value for key, value in job.items() if key != _OWN}
        return digest(repr((self.made_with, sorted(rest.items()))).encode("utf-8", "surrogatepass"))

    def _stamp(self, path: str, job: dict[str, Any]) -> str:
        """The digest of a user file; for other files, size and time; "" for none."""
        if path not in self._stamps:
            stamp = ""
            with suppress(OSError, HipportError):
                if path.startswith(tuple(job["roots"])):
                    stamp = digest(read(Path(path), LARGEST_SOURCE))
                else:
                    found = Path(path).stat()
                    stamp = f"{found.st_size} {found.st_mtime_ns}"
            self._stamps[path] = stamp
        return self._stamps[path]


def _file(folder: Path) -> Path:
    return folder / MEMORY / "semantic"


def _load(file: Path) -> dict[str, _Entry]:
    """What a file remembers, by unit; nothing of one that is missing or damaged."""
    found: dict[str, _Entry] = {}
    with suppress(*_DAMAGE), file.open("rb") as lines:
        while line := lines.readline(_LARGEST):
            about, answers = line.rstrip(b"\n").split(b"\t")
            path, asked, read_ = _unpacked(about)
            found[str(path)] = _Entry(str(asked), dict(read_), answers)
    return found


def _packed(value: Any) -> bytes:
    return packed(json.dumps(value, separators=(",", ":")).encode())


def _unpacked(data: bytes) -> Any:
    return json.loads(unpacked(data, _LARGEST))
