"""Finds folders of a tree that hold a copy of an NVIDIA library, by files typical of it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from hipport.rulebook.load import load
from hipport.source.tree.file_task import Copy, Task, language_of


def copies(tasks: Iterable[Task]) -> dict[Path, list[Copy]]:
    """Tree -> the copies in it; of nested copies, the outermost.

    A tree that is itself such a library is not a copy: it is what the user wants audited.
    """
    places: dict[tuple[Path, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    known = load().vendored.copies
    for task in tasks:
        for each in known:
            for file in each.files:
                folder = task.below.removesuffix(f"/{file}")
                if folder != task.below and re.search(each.folder, folder):
                    places[task.root, each.library][folder].add(file)
    found: dict[Path, list[Copy]] = defaultdict(list)
    for (root, library), folders in places.items():
        rule = next(each for each in known if each.library == library)
        for folder, files in folders.items():
            if files == set(rule.files):
                marker = f"{folder}/{rule.files[0]}"
                found[root].append(Copy(library, rule.instead, folder, marker))
    return _counted({root: list(_outermost(each)) for root, each in found.items()}, tasks)


def copy_around(task: Task, found: dict[Path, list[Copy]]) -> Copy | None:
    """The copy that a file belongs to."""
    each_around = (each for each in found.get(task.root, ()) if _is_in(task.below, each.folder))
    return next(each_around, None)


def _outermost(found: list[Copy]) -> Iterator[Copy]:
    for each in found:
        if not any(_is_in(each.folder, other.folder) for other in found):
            yield each


def _counted(found: dict[Path, list[Copy]], tasks: Iterable[Task]) -> dict[Path, list[Copy]]:
    numbers: Counter[Copy] = Counter()
    for task in tasks if found else ():
        around = copy_around(task, found)
        if around and language_of(task.source.name):
            numbers[around] += 1
    return {
        root: [each._replace(number=numbers[each]) for each in copied]
        for root, copied in found.items()
    }


def _is_in(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")
