"""Which files are build files, by their names, and which of them were ported to AMD before."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from fnmatch import translate
from functools import cache
from pathlib import Path, PurePosixPath

from hipport.errors import HipportError
from hipport.files import read
from hipport.rulebook.load import load
from hipport.source.tree.run_tasks import Task

CONVERTED = ("cmake", "make", "shell")
"""Kinds of which some files have a branch for AMD; such files are left alone."""
SETUP, SETUP_KIND = "setup.py", "python"
LARGEST = 4 << 20
"""Bytes of a build file that is converted; people write smaller ones."""

_PROJECTS = {"cmake": ("CMakeLists.txt",), "make": ("Makefile", "makefile", "GNUmakefile")}


@cache
def _shapes(kinds: tuple[str, ...]) -> list[tuple[str, re.Pattern[str]]]:
    shapes: dict[str, list[str]] = {}
    for shape, kind in load().file_kinds.other_files.items():
        if kind in kinds:
            shapes.setdefault(kind, []).append(translate(shape))
    return [(kind, re.compile("|".join(each))) for kind, each in shapes.items()]


def build_kind(name: str, kinds: tuple[str, ...]) -> str:
    """The kind of a build file by its name; "" for any other file."""
    plain = PurePosixPath(name).name
    if plain.endswith(".py"):
        return SETUP_KIND if plain == SETUP and SETUP_KIND in kinds else ""
    return next((kind for kind, shapes in _shapes(kinds) if shapes.match(plain)), "")


def ported_folders(tasks: Iterable[Task]) -> dict[str, set[Path]]:
    """Kind of build file -> the folders of projects which know AMD already.

    Project files are read before anything is converted: one that has been converted must not
    look as if it came so.
    """
    ported: dict[str, set[Path]] = defaultdict(set)
    for task in tasks:
        if task.is_build_file and not task.is_link and _is_ported_project(task):
            ported[task.language].add(task.source.parent)
    return ported


def _is_ported_project(task: Task) -> bool:
    if task.source.name not in _PROJECTS.get(task.language, ()):
        return False
    from hipport.rulebook.build_words import build_words
    from hipport.source.buildfiles.build_conversion import is_ported

    try:
        data = read(task.source, LARGEST)
    except HipportError:
        return False  # Converting it will tell.
    return is_ported(data, task.language, build_words(load()))


def is_below(path: Path, folders: set[Path]) -> bool:
    """Whether a file lies in one of the folders or below."""
    return any(parent in folders for parent in path.parents)
