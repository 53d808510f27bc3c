"""Makes notes of findings about sources that a build file names, and that a tree does not have.

A distribution leaves out examples and tests that its build files still name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache, partial
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.model import Finding, Records
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.decisions import place_of
from hipport.source.audit.unused_code import Place, as_notes, is_whole
from hipport.source.tree.file_task import LARGEST_SOURCE, Task

_NAME = regex(r"[\w.+-]+")


def without_absent(
    findings: Records[Finding], tasks: Iterable[Task], folders: Collection[str], rules: RuleSet
) -> Records[Finding]:
    """The findings, as notes where a tree lacks the source that they are about.

    `folders` are the trees of which all tasks are here. A name that a build file has twice may be
    that of a source that it writes.
    """
    words = rules.branches.absent
    asked: dict[str, list[tuple[Finding, str]]] = {}
    for each in findings:
        named = re.fullmatch(words.named, each.symbol) if each.code == words.about else None
        if named and each.asks:
            asked.setdefault(each.path, []).append((each, named["last"]))
    absent: dict[Place, str] = {}
    lasts = cache(partial(_last_parts, tasks))
    for task in tasks if asked else ():
        is_asked = task.name in asked and task.root_path in folders
        if is_asked and is_whole(task.root_path, rules.branches.unused.projects):
            about = asked[task.name]
            known = _known(task, {last for _, last in about}, lasts(task.root_path))
            absent |= {place_of(each): each.symbol for each, last in about if last not in known}
    return _without_old_scripts(
        as_notes(findings, absent, lambda _: words.note, rules), tasks, folders, rules
    )


def _without_old_scripts(
    findings: Records[Finding], tasks: Iterable[Task], folders: Collection[str], rules: RuleSet
) -> Records[Finding]:
    """The findings, as notes in setup scripts that name sources of which the tree has none.

    Nothing runs such a script any more; setup.py itself may be run behind others.
    """
    words = rules.branches.absent
    absent = {
        task.name: source
        for task in tasks
        if task.root_path in folders and re.fullmatch(words.scripts, task.below)
        if (source := _first_absent(task, rules))
    }
    if not absent:
        return findings
    asking = (each for each in findings if each.asks and each.path in absent)
    old = {place_of(each): absent[each.path] for each in asking}
    return as_notes(findings, old, lambda _: words.note, rules)


def _first_absent(script: Task, rules: RuleSet) -> str:
    """The first source that a setup script names, if the tree has none of them; otherwise ""."""
    try:
        text = read(script.source_path, LARGEST_SOURCE).decode("latin-1")
    except HipportError:
        return ""
    named = re.findall(rules.branches.absent.sources, text)
    folders = (Path(script.root_path), Path(script.source_path).parent)
    is_there = any((folder / each).exists() for folder in folders for each in named)
    if not named or is_there or not is_whole(script.root_path, rules.branches.unused.projects):
        return ""
    return str(named[0])


def _last_parts(tasks: Iterable[Task], root: str) -> list[str]:
    """The names of a tree's files without their folders, in order."""
    return sorted({each.below.rpartition("/")[2] for each in tasks if each.root_path == root})


def _known(build: Task, names: set[str], files: list[str]) -> set[str]:
    """The names that files of the tree have, with another ending or not, or that may be written."""
    try:
        text = read(build.source_path, LARGEST_SOURCE).decode("latin-1")
    except HipportError:
        return names
    written = Counter(_NAME.findall(text))
    return {name for name in names if written[name] > 1 or _has_beginning(files, name)}


def _has_beginning(ordered: list[str], beginning: str) -> bool:
    at = bisect_left(ordered, beginning)
    return at < len(ordered) and ordered[at].startswith(beginning)
