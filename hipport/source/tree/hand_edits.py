"""Replaces the last result with a new one and keeps manual edits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import copy, read, write
from hipport.model import Finding, Position
from hipport.programs import bounded, find_program
from hipport.rulebook.load import load
from hipport.source.options import Options
from hipport.source.tree.file_task import LARGEST_SOURCE, Outcome, Stamp, Task
from hipport.source.tree.manifest import Manifest, digest, made_with, packed

_LARGEST_KEPT_COPY = 1 << 20
# Names of the three texts, as conflict markers show them.
_BY_HAND, _LAST, _NEW = "edited by hand", "the last conversion", "this conversion"
_OPENING = f"<<<<<<< {_BY_HAND}".encode()
_MOST_CONFLICTS = 127
_GIT_LOOKS_AT = 8000
_SECONDS, _MEMORY = 300, 4 << 30


def is_known(data: bytes, task: Task, options: Options, outcome: Outcome) -> bool:
    """Whether the output already matches this source, so that nothing is left to do."""
    last = task.last
    if not last or last[:2] != (digest(data), made_with(task, options)):
        return False
    current = _current(task.output_path)
    if current is None:
        return False
    outcome.stamp, outcome.is_reused = last, True
    outcome.merging = list(_conflicts(current, task)) if digest(current) != last.output else []
    return True


def place(data: bytes, new: bytes, task: Task, options: Options, outcome: Outcome) -> None:
    """Write a result; merge it with a file that was edited by hand since the last run.

    Raises HipportError, and leaves the file as it is, where a merge is needed but there is no git.
    """
    output = task.output_path
    mode = os.stat(task.source_path).st_mode  # noqa: PTH116
    source = digest(data)
    stamp = Stamp(source, made_with(task, options), source if new is data else digest(new))
    current = _current(output) if task.last else None
    if current is None or task.last is None:
        write(output, new, mode)
    elif digest(current) in (task.last.output, stamp.output):
        if digest(current) != stamp.output or os.stat(output).st_mode != mode:  # noqa: PTH116
            write(output, new, mode)
    else:
        merged = current if stamp.output == task.last.output else _merged(current, new, task)
        if merged != current:
            write(output, merged, mode)
        outcome.merging = list(_conflicts(merged, task))
    outcome.stamp, outcome.packed = stamp, _kept(new)


def place_copy(task: Task, options: Options, outcome: Outcome) -> None:
    """Copy a file that is not converted; a large one is never merged."""
    if _size(task.source_path) <= _LARGEST_KEPT_COPY:
        data = read(task.source_path, LARGEST_SOURCE)
        if is_known(data, task, options, outcome):
            outcome.is_reused, outcome.packed = False, _kept(data)
        else:
            place(data, data, task, options, outcome)
        return
    assert task.output is not None
    new = _digest_of(task.source)
    stamp = Stamp(new, made_with(task, options), new)
    is_there = task.last is not None and task.output.is_file()
    current = _digest_of(task.output) if is_there else ""
    if not task.last or current in ("", task.last.output):
        if current != new:
            copy(task.source, task.output)
    elif current != new and task.last.output != new:
        outcome.merging = [_finding("HP-MERGE-001", task, 1, "it is too large to be merged")]
    outcome.stamp = stamp


def _kept(data: bytes) -> bytes:
    """What the manifest stores of a result; nothing of binary data, which git does not merge.

    Git takes for binary what has a zero among its first bytes: buffer_is_binary in its sources.
    """
    return b"" if b"\0" in data[:_GIT_LOOKS_AT] else packed(data)


def _current(path: str) -> bytes | None:
    """The current contents of the output; None if it is no regular file."""
    is_file = os.path.isfile(path) and not os.path.islink(path)  # noqa: PTH113, PTH114
    return read(path, LARGEST_SOURCE) if is_file else None


def _size(path: str) -> int:
    """The size of a file; 0 if it is unknown, as reading the file will report the error."""
    with suppress(OSError):
        return os.stat(path).st_size  # noqa: PTH116
    return 0


def _digest_of(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _merged(current: bytes, new: bytes, task: Task) -> bytes:
    """The edited text with the changes of this conversion, and markers around conflicts.

    git merge-file(1): the exit code is the number of conflicts, at most 127, and more on an error.
    """
    import subprocess
    import tempfile

    assert task.memory is not None
    base = Manifest(task.memory).generated(task.key)
    git = find_program("git")
    if git is None:
        raise HipportError(
            f"{task.output}: changed by hand and by this conversion, and there is no git to merge",
            remedy="install git, or overwrite with --force",
        )
    with tempfile.TemporaryDirectory(prefix="hipport-") as place:
        texts = {_BY_HAND: current, _LAST: base or b"", _NEW: new}
        command = [git, "merge-file", "-p"]
        paths = []
        for number, (label, text) in enumerate(texts.items()):
            path = Path(place, str(number))
            path.write_bytes(text)
            command += ["-L", label]
            paths.append(str(path))
        # Only git's defaults: a user's settings could change the markers, and those of a repository
        # around the temporary folder could name programs to run.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        environment["GIT_CEILING_DIRECTORIES"] = os.path.dirname(os.path.realpath(place))  # noqa: PTH120
        try:
            done = subprocess.run(
                [*command, *paths],
                cwd=place,
                env=environment,
                capture_output=True,
                check=False,
                timeout=_SECONDS,
                preexec_fn=bounded(memory=_MEMORY),
            )
        except subprocess.TimeoutExpired as error:
            raise HipportError(
                f"{task.output}: merging it took longer than {_SECONDS} s",
                remedy="merge it by hand, or overwrite with --force",
            ) from error
    # Any program may exit with 1: without a conflict marker, it did not merge.
    is_merged = done.returncode == 0 or _OPENING in done.stdout
    if not (0 <= done.returncode <= _MOST_CONFLICTS and is_merged):
        raise HipportError(
            f"{task.output}: git cannot merge it: {done.stderr.decode('utf-8', 'replace').strip()}",
            remedy="merge it by hand, or overwrite with --force",
        )
    return done.stdout


def _conflicts(text: bytes, task: Task) -> Iterator[Finding]:
    """A finding for each conflict that a merge left in the output."""
    for number, line in enumerate(text.split(b"\n"), 1):
        if line.rstrip(b"\r") == _OPENING:
            reason = "the same lines were changed by hand and by a conversion"
            yield _finding("HP-MERGE-001", task, number, reason)


def _finding(code: str, task: Task, line: int, reason: str) -> Finding:
    words, place = {"line": str(line), "reason": reason}, Position(line, 1)
    return load().findings[code].finding(task.name, task.output_name, place, place, words)
