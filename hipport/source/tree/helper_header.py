"""Writes the headers of rules/helpers that converted files include: once per tree, at its root."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from hipport.rulebook.load import load
from hipport.source.names.counterparts import Decisions
from hipport.source.options import Options
from hipport.source.tree.file_task import Outcome, Stamp, Task
from hipport.source.tree.run_tasks import handle

Done = tuple[Outcome, Task]


def with_helpers(
    done: Iterator[Done],
    options_of: Callable[[Path], Options],
    last: Callable[[Task], Stamp | None] | None,
) -> Iterator[Done]:
    """The outcomes, followed by those of the headers that each tree needs.

    `last` gives the stamp of a task from the last conversion. A tree with a file of that name
    keeps its own.
    """
    rules = load()
    trees: dict[str, Task] = {}
    needed: set[tuple[str, str]] = set()
    for outcome, task in done:
        if task.language and not task.is_link:
            trees.setdefault(task.root_path, task)
            needed.update((task.root_path, header) for header in outcome.helpers)
        yield outcome, task
    headers = (rules.warps.header, rules.device_functions.header)
    for root, header in product(trees, headers):
        task = trees[root]
        made = _task(task, header, rules.helper(header))
        known = last(made) if last and made.memory_path else None
        if ((root, header) in needed or known) and not (task.root / header).exists():
            decisions = Decisions(rules, options_of(task.source))
            yield _written(made._replace(last=known), decisions), made


def _task(task: Task, header: str, source: Path) -> Task:
    """The task that writes the header into the tree of another task."""
    depth = task.below.count("/")
    return Task(
        root_path=task.root_path,
        source_path=source.as_posix(),
        name=task.name.removesuffix(task.below) + header,
        language="",
        output_path=(task.output.parents[depth] / header).as_posix() if task.output else "",
        output_name=task.output_name.removesuffix(task.key) + header,
        below=header,
        keeps_bytes=task.keeps_bytes,
        memory_path=task.memory_path,
    )


def _written(task: Task, decisions: Decisions) -> Outcome:
    outcome = handle(task, decisions)
    if task.keeps_bytes:
        outcome.new, outcome.is_new = task.source.read_bytes(), True
    return outcome
