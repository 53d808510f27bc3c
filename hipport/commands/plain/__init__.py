"""What needs no click: commands with names and a few options, and `--version`.

click takes 28 ms to load, more than it takes to list a library of 500 MB, and a fifth of a hook's
time. Each module has `run(files, ...)`, which returns the exit code and whose other arguments
default to what the options of the click command default to; the click command calls it too.
tests/commands/test_plain.py compares both ways.
"""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = {
    "audit report": "audit_report",
    "check": "check",
    "compat": "compat",
    "convert": "convert",
    "fatbin list": "fatbin_list",
    "fatbin kernels": "fatbin_kernels",
    "rules show": "rules_show",
}
OPTIONS = {
    "audit report": {
        "-o": "report_file",
        "--output": "report_file",
        "--report": "report_file",
        "--format": "format_",
        "--fail-on": "fail_on",
        "--jobs": "jobs",
        "--all-places": "all_places",
    },
    "check": {"--fail-on": "fail_on"},
    "compat": {"-o": "output", "--output": "output"},
    "convert": {
        "-o": "output",
        "--output": "output",
        "--fail-on": "fail_on",
        "--jobs": "jobs",
        "--report": "report_file",
        "--in-place": "in_place",
        "--exit-non-zero-on-change": "exit_non_zero_on_change",
        "--diff": "diff",
        "--check": "check",
        "-q": "quiet",
        "--quiet": "quiet",
    },
}
"""Command -> its options that need no click, and the argument that each sets."""
REQUIRED = {"compat": "output"}
"""Command -> the argument that it cannot do without, which names a file."""
ALONE = frozenset({"rules show"})
"""Commands that take one word."""
_JOBS = range(1, 257)
_DIGITS = 4


def command(arguments: list[str]) -> Callable[[], int] | None:
    """Runs the command and returns the exit code; None: it is for click, as all mistakes are."""
    if os.name != "posix" or "_HIPPORT_COMPLETE" in os.environ:
        return None  # click expands patterns on Windows, and completes words in a shell
    from functools import partial

    name = next((each for each in COMMANDS if arguments[: len(each.split())] == each.split()), "")
    is_version = arguments == ["--version"]
    if is_version or (name and not name.startswith("fatbin")):
        from hipport.commands.pathlib_alone import load_pathlib

        load_pathlib()
    if is_version:
        return import_module(f"{__name__}.version").run  # type: ignore[no-any-return]
    given = _given(arguments[len(name.split()) :], OPTIONS.get(name, {})) if name else None
    if given is None or not _is_whole(name, *given):
        return None
    if not name.startswith("fatbin"):
        from hipport.commands.msgspec_alone import load_msgspec

        load_msgspec()
    return partial(import_module(f"{__name__}.{COMMANDS[name]}").run, given[0], **given[1])


def _given(words: list[str], known: dict[str, str]) -> tuple[list[str], dict[str, object]] | None:
    """The names of files and the options; None if there is anything else among the words."""
    files: list[str] = []
    options: dict[str, object] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            files.append(word)
        elif word not in known:
            return None
        elif known[word] in _VALUES:
            value = _VALUES[known[word]](next(rest, "-"))
            if value is None:
                return None
            options[known[word]] = value
        else:
            options[known[word]] = True
    return (files, options) if files and all(map(_is_readable, files)) else None


def _is_whole(name: str, words: list[str], options: dict[str, object]) -> bool:
    """Whether a command has what it needs, and no more words than it takes."""
    if name in ALONE:
        return len(words) == 1
    file = options.get(REQUIRED.get(name, ""))
    return name not in REQUIRED or (isinstance(file, os.PathLike) and not _is_folder(file))


def _is_folder(path: os.PathLike[str]) -> bool:
    from pathlib import Path

    return Path(path).is_dir()


def _is_readable(path: str) -> bool:
    """Whether there is nothing for click to say about a path; one that is missing is no mistake
    before it is read."""
    return os.access(path, os.R_OK) or not os.path.lexists(path)


def _path(word: str) -> object:
    """A file or folder to write; None for `-` and what looks like an option."""
    from pathlib import Path

    return Path(word) if not word.startswith("-") and _is_readable(word) else None


def _fail_on(word: str) -> object:
    from hipport.commands.output import LEVELS

    return word if word in LEVELS else None


def _format(word: str) -> object:
    from hipport.report.formats import FORMATS

    return word if word in FORMATS else None


def _jobs(word: str) -> object:
    is_number = word.isascii() and word.isdigit() and len(word) < _DIGITS
    return int(word) if is_number and int(word) in _JOBS else None


_VALUES = {
    "output": _path,
    "report_file": _path,
    "format_": _format,
    "fail_on": _fail_on,
    "jobs": _jobs,
}
"""Arguments with a value -> what reads it; None for what click has to look at."""
