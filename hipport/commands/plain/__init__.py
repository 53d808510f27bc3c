"""What needs no click: commands called with nothing but the names of files, and `--version`.

click takes 28 ms to load, more than it takes to list a library of 500 MB, and without an option
there is nothing for it to parse. Each module has `run(files, ...)`, which returns the exit code
and whose other arguments default to what the options of the click command default to; the click
command calls it too. tests/commands/test_plain.py compares both ways.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = {"fatbin list": "fatbin_list", "fatbin kernels": "fatbin_kernels"}


def command(arguments: list[str]) -> Callable[[list[str]], int] | None:
    """`run` of the command that is called with names of files alone; None: it is for click."""
    module = "version" if arguments == ["--version"] else _of_files(arguments)
    if module is None:
        return None
    if os.name != "posix" or "_HIPPORT_COMPLETE" in os.environ:
        return None  # click expands patterns on Windows, and completes words in a shell
    from importlib import import_module

    found: Callable[[list[str]], int] = import_module(f"{__name__}.{module}").run
    return found


def _of_files(arguments: list[str]) -> str | None:
    files = arguments[2:]
    if not files or any(name.startswith("-") for name in files):
        return None
    return COMMANDS.get(" ".join(arguments[:2]))
