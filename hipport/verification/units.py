"""Chooses what to compile: the units of files and trees, and their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.source.tree.file_task import LARGEST_SOURCE, Task, ending_of
from hipport.verification.build_settings import Builds, build_files
from hipport.verification.compile_commands import Database
from hipport.verification.compiler_facts import knowledge
from hipport.verification.included_files import SourceTree
from hipport.verification.model import Unit

_MACRO = regex(r"-D(\w+)", re.ASCII)


def find_units(
    tasks: Iterable[Task],
    given: Sequence[str],
    database: Database | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Iterator[Unit]:
    """The units among the files, in their order.

    Files named by the user are units whatever their name; in a tree, sources are, C and C++ only
    if something in them is about a GPU. `given` are the arguments of every unit. What a
    compilation database says comes after them; a unit that it does not have gets what the build
    files of the tree say, and the folders that hold what it includes. At the end, `report` is
    called with what was left out of build files.
    """
    every = [each for each in tasks if not each.is_link]
    tasks = [each for each in every if each.language and not each.is_build_file]
    trees: dict[Path, SourceTree] = {}
    builds: dict[Path, Builds] = {}
    for root in {each.root for each in tasks}:
        files = [each.source for each in tasks if each.root == root]
        trees[root] = SourceTree(root, files)
        builds[root] = Builds(build_files(each.source for each in every if each.root == root))
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
            arguments = _together(given, listed.arguments)
            yield Unit(path, task.name, language, arguments, listed.folder)
            continue
        folders = (f"-I{folder}" for folder in trees[task.root].include_folders(path))
        build = builds[task.root]
        arguments = _together(given, [*build.arguments(path), *folders])
        defined = {match[1] for each in given if (match := _MACRO.match(each))}
        unknown = build.unknown() - defined
        yield Unit(path, task.name, language, arguments, Path.cwd(), unknown)
    for each in builds.values():
        for left in each.lines():
            report(left)


def _together(given: Sequence[str], found: Iterable[str]) -> tuple[str, ...]:
    """Arguments from the user come first; of several standards, clang takes the last."""
    has_standard = any(each.startswith("-std=") for each in given)
    return (*given, *(e for e in found if not (has_standard and e.startswith("-std="))))


def _is_wanted(task: Task, marks: re.Pattern[bytes]) -> bool:
    if task.language == "cuda":
        return True
    try:
        return marks.search(read(task.source, LARGEST_SOURCE)) is not None
    except HipportError:
        return False
