"""Makes notes of findings in what a copy of another project has for itself: examples, tests, CI.

A tree builds such a copy for its library, and hosts of CI read only what is at the top of a tree.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from hipport.model import Finding, Records
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.decisions import place_of
from hipport.source.audit.unused_code import as_notes, asked_by_path, is_whole
from hipport.source.tree.file_task import Task


def without_copied_parts(
    findings: Records[Finding], tasks: Iterable[Task], folders: Collection[str], rules: RuleSet
) -> Records[Finding]:
    """The findings, as notes in the parts of a copy that the build of a tree leaves out.

    `folders` are the trees of which all tasks are here.
    """
    words = rules.branches.copied_parts
    asked = asked_by_path(findings)
    parts = {
        task.name: part["part"]
        for task in (tasks if asked else ())
        if task.name in asked and task.root_path in folders
        if (part := re.search(words.part, task.below))
        if is_whole(task.root_path, rules.branches.unused.projects)
    }
    places = {place_of(each): part for name, part in parts.items() for each in asked[name]}
    return as_notes(findings, places, lambda _: words.note, rules)
