"""Keeps a conversion in place from changing files that have no copy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from hipport.errors import HipportError, UsageError
from hipport.files import read
from hipport.gitindex import GitIndex, working_tree
from hipport.model import FileReport
from hipport.rulebook.load import load
from hipport.source.names.counterparts import Decisions
from hipport.source.options import Options
from hipport.source.tree.file_task import LARGEST_SOURCE, Outcome, Task
from hipport.source.tree.run_tasks import convert_bytes


def refuse_unsaved(tasks: Iterable[Task], options_of: Callable[[Path], Options]) -> None:
    """Raise UsageError if a file would change that is in a working tree of git, but not as it is.

    Without git, nobody expects that a change can be taken back.
    """
    tree_of, index_of = cache(working_tree), cache(GitIndex)
    for task in tasks:
        if not task.language or task.is_link or task.is_left_alone:
            continue
        path = Path(os.path.realpath(task.source))
        top = tree_of(path.parent)
        if top is None:
            continue
        try:
            data = read(path, LARGEST_SOURCE)
        except HipportError:
            continue  # The conversion reports it.
        if not index_of(top).has(path, data) and _would_change(data, task, options_of):
            raise UsageError(
                f"{task.source}: has changes that git has no copy of",
                remedy="git add or commit them; --backup .orig keeps originals; --force goes ahead",
            )


def _would_change(data: bytes, task: Task, options_of: Callable[[Path], Options]) -> bool:
    options = options_of(task.source)
    decisions = Decisions(load(extend=options.extend_rules), options)
    outcome = Outcome(FileReport(task.name, task.language, "failed"))
    try:
        return convert_bytes(data, task, decisions, outcome) != data
    except HipportError:
        return False
