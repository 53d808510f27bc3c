"""Converts many files, one at a time or in several processes, each on its own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from hipport.errors import HipportError
from hipport.files import copy, read, write
from hipport.model import FileReport, Finding
from hipport.source.decide import Decisions
from hipport.source.pipeline import convert_source
from hipport.source.rules import load
from hipport.source.unit import Options

LARGEST_SOURCE = 64 << 20
_CHUNK = 8


@dataclass(frozen=True, slots=True)
class Task:
    """One file to handle. `language` is empty for a file that is only copied.

    `output` is None where nothing is to be written; `name` is its path in reports.
    """

    root: Path
    source: Path
    name: str
    language: str
    output: Path | None
    output_name: str = ""
    backup: str = ""
    wants_diff: bool = False


@dataclass(slots=True)
class Outcome:
    """What became of a task. `error` is set where it failed; `old` and `new` only for a diff."""

    file: FileReport
    findings: list[Finding] = field(default_factory=list)
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    declared: set[str] = field(default_factory=set)
    error: str = ""
    old: bytes = b""
    new: bytes = b""


def language_of(name: str) -> str:
    """The language of a file by the longest ending that the vocabulary lists; "" for none."""
    languages: dict[str, str] = load().vocabulary["languages"]
    parts = PurePosixPath(name.lower()).name.split(".")
    endings = ("." + ".".join(parts[index:]) for index in range(1, len(parts)))
    return next((languages[ending] for ending in endings if ending in languages), "")


def run(tasks: Iterable[Task], options: Options, jobs: int) -> Iterator[Outcome]:
    """The outcomes in the order of the tasks; with several jobs, from as many processes."""
    if jobs <= 1:
        decisions = Decisions(load(), options)
        yield from (handle(task, decisions) for task in tasks)
        return
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(options,)) as pool:
        yield from pool.map(_handle, tasks, chunksize=_CHUNK)


_decisions: Decisions | None = None


def _start(options: Options) -> None:
    global _decisions
    _decisions = Decisions(load(), options)


def _handle(task: Task) -> Outcome:
    assert _decisions is not None
    return handle(task, _decisions)


def handle(task: Task, decisions: Decisions) -> Outcome:
    """Convert or copy one file; every failure is told in the outcome."""
    outcome = Outcome(FileReport(task.name, task.language, "failed"))
    try:
        if task.source.is_symlink():
            _copy_link(task, outcome)
        elif task.language:
            _convert(task, decisions, outcome)
        else:
            _copy(task, outcome)
    except HipportError as error:
        outcome.error = str(error)
    except OSError as error:
        outcome.error = f"{task.source}: {error.strerror}"
    except Exception as error:
        outcome.error = (
            f"{task.source}: internal error ({type(error).__name__}: {error});"
            " the file was left out, please report this"
        )
    return outcome


def _convert(task: Task, decisions: Decisions, outcome: Outcome) -> None:
    mode = task.source.stat().st_mode
    data = read(task.source, LARGEST_SOURCE)
    if b"\0" in data:
        if task.output and task.output != task.source:
            write(task.output, data, mode)
        raise HipportError(
            f"{task.source}: binary data, or UTF-16 text, in a source file",
            remedy="save it as UTF-8, or leave it out with --exclude",
        )
    result = convert_source(
        data,
        task.name,
        task.language,
        decisions,
        lambda name: _stands_in_tree(task, name),
    )
    changed = result.data is not data and result.data != data
    outcome.findings, outcome.counts = result.findings, result.counts
    outcome.declared = result.declared
    if task.wants_diff and changed:
        outcome.old, outcome.new = data, result.data
    if task.output is not None:
        _write(task, data, result.data, mode)
        outcome.file.output = task.output_name
    outcome.file.edits = result.edits
    outcome.file.status = "converted" if changed else "unchanged"


def _write(task: Task, data: bytes, new: bytes, mode: int) -> None:
    """Write the converted bytes; a file that stays what it is in its place is left alone."""
    assert task.output is not None
    if task.output == task.source:
        if new == data:
            return
        if not mode & 0o222:
            raise HipportError(f"{task.source}: write-protected", remedy="make it writable first")
        if task.backup:
            write(task.source.with_name(task.source.name + task.backup), data, mode)
    write(task.output, new, mode)


def _stands_in_tree(task: Task, name: str) -> bool:
    """Whether a quoted include names a file beside the including one, or below a parent of it."""
    folder = task.source.parent
    while True:
        if (folder / name).is_file():
            return True
        if folder == task.root or folder == folder.parent or task.root not in folder.parents:
            return False
        folder = folder.parent


def _copy(task: Task, outcome: Outcome) -> None:
    if task.output is None or task.output == task.source:
        outcome.file.status = "skipped"
        return
    copy(task.source, task.output)
    outcome.file.status, outcome.file.output = "copied", task.output_name


def _copy_link(task: Task, outcome: Outcome) -> None:
    """Recreate a relative link that stays inside the tree; any other is left out and told."""
    outcome.file.language, outcome.file.status = "", "skipped"
    if task.output is None or task.output == task.source:
        return
    target = str(task.source.readlink())
    resolved = Path(os.path.normpath(task.source.parent / target))
    if Path(target).is_absolute() or not resolved.is_relative_to(task.root):
        outcome.file.status = "failed"
        raise HipportError(
            f"{task.source}: symbolic link out of the tree, not copied",
            remedy="copy what it points to by hand",
        )
    task.output.parent.mkdir(parents=True, exist_ok=True)
    if task.output.is_symlink():
        task.output.unlink()
    task.output.symlink_to(target)
    outcome.file.status, outcome.file.output = "copied", task.output_name
