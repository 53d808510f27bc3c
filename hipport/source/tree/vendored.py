"""Finds folders of a tree that hold a copy of a library, by files typical of it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from hipport.model import Finding, Position
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.words import VendoredCopy
from hipport.source.tree.file_task import Copy, Task, language_of, with_name

_SMALL = 1024
"""Up to this size, a file may be a placeholder: of the libraries, none of those is so small."""


def copies(tasks: Iterable[Task]) -> dict[str, list[Copy]]:
    """Tree -> the copies in it; of nested ones, the outermost, and one whose binaries do not count.

    A tree that is itself such a library is not a copy: it is what the user asks about. What is left
    alone anyway, because the user or git excludes it, is none either.
    """
    known: dict[str, list[tuple[str, VendoredCopy]]] = defaultdict(list)
    for rule in load().vendored.copies:
        for file in rule.files:
            known[file.rpartition("/")[2]].append((file, rule))
    places: dict[tuple[str, str, VendoredCopy], set[str]] = defaultdict(set)
    for task in tasks:
        for file, rule in known.get(task.below.rpartition("/")[2], ()):
            folder = task.below.removesuffix(f"/{file}")
            if folder != task.below and not task.is_left_alone:
                places[task.root_path, folder, rule].add(file)
    found: dict[str, list[Copy]] = defaultdict(list)
    for (root, folder, rule), files in places.items():
        whole = folder if re.search(rule.folder, folder) else ""
        copied = whole or (f"{folder}/{rule.part}" if rule.part else "")
        marker = f"{folder}/{rule.files[0]}"
        if copied and files == set(rule.files) and not _is_placeholder(root, marker):
            own = rule.has_own_binaries
            names = rule.library, rule.instead, rule.finding, copied, marker
            found[root].append(Copy(*names, has_own_binaries=own))
    return _counted({root: list(_outermost(each)) for root, each in found.items()}, tasks)


def copy_around(task: Task, found: dict[str, list[Copy]]) -> Copy | None:
    """The copy that a file belongs to: the innermost."""
    around = [each for each in found.get(task.root_path, ()) if _is_in(task.below, each.folder)]
    return max(around, key=lambda each: len(each.folder), default=None)


def left_alone(task: Task, found: dict[str, list[Copy]]) -> Task:
    """The task of a conversion, which copies what belongs to a copy byte for byte."""
    around = copy_around(task, found)
    if around is None:
        return task
    name, output = task.source_path.rpartition("/")[2], task.output_path
    return task._replace(
        copied=around,
        language="",
        is_build_file=False,
        is_left_alone=True,
        output_path=output and with_name(output, name),
        output_name=task.output_name and with_name(task.output_name, name),
    )


def copy_findings(task: Task, rules: RuleSet) -> list[Finding]:
    """The one finding in a folder that is a copy of a library, at its typical file."""
    copied = task.copied
    if copied is None or task.below != copied.marker:
        return []
    folder = task.name.removesuffix(copied.marker.removeprefix(copied.folder))
    number = "1 source is" if copied.number == 1 else f"{copied.number:,} sources are"
    words = {"library": copied.library, "number": number, "instead": copied.instead, "path": folder}
    rule = rules.finding(copied.finding)
    return [rule.finding(task.name, copied.folder, Position(1, 1), words=words)]


def _is_placeholder(root: str, marker: str) -> bool:
    """Whether a small file says that it is not the library's, whose place it takes."""
    file = Path(root, marker)
    if file.stat().st_size > _SMALL:
        return False
    return re.search(load().vendored.placeholder, file.read_text(encoding="latin-1")) is not None


def _outermost(found: list[Copy]) -> Iterator[Copy]:
    for each in found:
        around = [other for other in found if _is_in(each.folder, other.folder)]
        # One whose binaries are nobody's counts in one whose binaries are the tree's.
        if all(other.has_own_binaries and not each.has_own_binaries for other in around):
            yield each


def _counted(found: dict[str, list[Copy]], tasks: Iterable[Task]) -> dict[str, list[Copy]]:
    numbers: Counter[Copy] = Counter()
    for task in tasks if found else ():
        around = copy_around(task, found)
        if around and language_of(task.source_path.rpartition("/")[2]):
            numbers[around] += 1
    return {
        root: [each._replace(number=numbers[each]) for each in copied]
        for root, copied in found.items()
    }


def _is_in(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")
