"""Which projects of a tree have something for AMD in their build files already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.rulebook.build_words import build_words
from hipport.rulebook.load import load
from hipport.source.buildfiles.build_kinds import LARGEST
from hipport.source.tree.file_task import Task

_PROJECTS = {"cmake": ("CMakeLists.txt",), "make": ("Makefile", "makefile", "GNUmakefile")}


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
    from hipport.source.buildfiles.build_conversion import is_ported

    try:
        data = read(task.source, LARGEST)
    except HipportError:
        return False  # Converting it will tell.
    return is_ported(data, task.language, build_words(load()))


def is_below(path: Path, folders: set[Path]) -> bool:
    """Whether a file lies in one of the folders or below."""
    return any(parent in folders for parent in path.parents)
