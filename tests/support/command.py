"""Runs the command line in a process of its own, the way a user does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from hipport.files import MEMORY
from tests.support import forked

_SUMMARY = re.compile(
    r"^(?:[\d,]+ (?:files?: |findings? in ).*\n)?(?:[\d,]+ findings?: .*\n)?"
    r"(?:exit code \d: .*\n)?(?:next: .*\n(?:      .*\n)*)?\Z",
    re.MULTILINE,
)


class Ran(NamedTuple):
    """What a user sees of a command: exit code, standard output and standard error."""

    code: int
    out: str
    err: str


def hipport(
    *arguments: str | bytes | Path,
    cwd: Path,
    stdin: bytes = b"",
    before: Callable[[], None] | None = None,
    first: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    timeout: float = 120,
    keeps_summary: bool = False,
) -> Ran:
    """Run `hipport` in a folder; bytes that are not UTF-8 come back as surrogates.

    `before` is called before Python starts, `first` (of tests.support) before the command does.
    The summary at the end of a run is left out of what is on standard error, unless it is kept.
    """
    line, variables = [*map(os.fsdecode, arguments)], {**os.environ, **(environment or {})}
    if before is None and forked.can_run(variables):
        done = forked.run(line, cwd, variables, stdin, timeout, first)
    else:
        done = subprocess.run(
            [sys.executable, "-m", "hipport", *line],
            cwd=cwd,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=timeout,
            preexec_fn=before or first,
            env=variables,
        )
    texts = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    out, err = texts
    return Ran(done.returncode, out, err if keeps_summary else without_summary(err))


def without_summary(text: str) -> str:
    """What is on standard error but for the end of a run."""
    return _SUMMARY.sub("", text)


def make_tree(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, given by path and content, below a folder; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def listing(folder: Path) -> list[str]:
    """The names in a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


def read_tree(folder: Path) -> dict[str, str]:
    """Every file below a folder by its path: its text, or `-> target` for a symbolic link.

    What a converted tree remembers is left out.
    """
    return {
        path.relative_to(folder).as_posix(): f"-> {path.readlink()}"
        if path.is_symlink()
        else path.read_bytes().decode("utf-8", "surrogateescape")
        for path in sorted(folder.rglob("*"))
        if (path.is_symlink() or path.is_file()) and MEMORY not in path.parts
    }
