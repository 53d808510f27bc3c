"""Makes notes of findings about sources that a build file names, and that a tree does not have.

A distribution leaves out examples and tests that its build files still name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from hipport.errors import HipportError
from hipport.files import read
from hipport.model import Finding, Records
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.decisions import place_of
from hipport.source.audit.unused_code import Place, as_notes, is_whole
from hipport.source.tree.file_task import LARGEST_SOURCE, Task


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
    for task in tasks if asked else ():
        is_asked = task.name in asked and task.root_path in folders
        if is_asked and is_whole(task.root_path, rules.branches.unused.projects):
            about = asked[task.name]
            known = _known(task, {last for _, last in about}, tasks)
            absent |= {place_of(each): each.symbol for each, last in about if last not in known}
    return as_notes(findings, absent, lambda _: words.note, rules)


def _known(build: Task, names: set[str], tasks: Iterable[Task]) -> set[str]:
    """The names that files of the tree have, with another ending or not, or that may be written."""
    try:
        text = read(build.source_path, LARGEST_SOURCE).decode("latin-1")
    except HipportError:
        return names
    known = {each for each in names if text.count(each) > 1}
    lasts = {each.below.rpartition("/")[2] for each in tasks if each.root_path == build.root_path}
    return known | {name for name in names if any(last.startswith(name) for last in lasts)}
