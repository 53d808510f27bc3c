"""Chooses what is compiled: the units of files and trees, and the arguments of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.source.project import LARGEST_SOURCE, Task, ending_of
from hipport.verify.database import Database
from hipport.verify.includes import SourceTree
from hipport.verify.knowledge import knowledge
from hipport.verify.model import Unit


def find_units(
    tasks: Iterable[Task], given: Sequence[str], database: Database | None = None
) -> Iterator[Unit]:
    """The units among the files, in their order.

    Files named by the user are units whatever their name; in a tree, sources are, C and C++ only
    if something in them is about a GPU. `given` are the arguments of every unit. What a
    compilation database says comes after them; a unit that it does not have gets the folders of
    the tree that hold what it includes.
    """
    tasks = [each for each in tasks if each.language and not each.is_link]
    trees: dict[Path, SourceTree] = {}
    for root in {each.root for each in tasks}:
        files = [each.source for each in tasks if each.root == root]
        trees[root] = SourceTree(root, files)
    languages: dict[str, str] = knowledge()["units"]
    marks = re.compile(knowledge()["marks"].encode(), re.ASCII)
    for task in tasks:
        is_named = task.root == task.source.parent and len(trees[task.root].files) == 1
        language = languages.get(ending_of(task.source.name).lower(), "hip" if is_named else "")
        if not language or not (is_named or _is_wanted(task, marks)):
            continue
        path = task.source.absolute()
        listed = database.arguments(path) if database else None
        if listed is not None:
            yield Unit(path, task.name, language, (*given, *listed.arguments), listed.folder)
            continue
        folders = trees[task.root].include_folders(path)
        arguments = (*given, *(f"-I{folder}" for folder in folders))
        yield Unit(path, task.name, language, arguments, Path.cwd())


def _is_wanted(task: Task, marks: re.Pattern[bytes]) -> bool:
    if task.language == "cuda":
        return True
    try:
        return marks.search(read(task.source, LARGEST_SOURCE)) is not None
    except HipportError:
        return False
