"""Completes the tasks of a run with what depends on other files of their trees."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from hipport.rulebook.load import load
from hipport.source.text.include_graph import included
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task
from hipport.source.tree.marking_functions import is_cmake, marking_functions
from hipport.source.tree.surveyed_trees import SurveyedTrees
from hipport.source.tree.undefined_macros import speaks_of_amd, undefined_macros
from hipport.source.tree.vendored import copies, copy_around, left_alone
from hipport.source.warps.ported_warps import tree_warps
from hipport.spool import Spool

_DEEPEST = 8
_FEW = 5_000
"""Tasks that are kept in memory while each question about a tree passes over them."""
_C_LIKE = ("cuda", "cpp", "c")


def completed(spooled: Spool[Task], *, converts: bool) -> Iterator[Task]:
    """The tasks, completed with what depends on other files of the tree."""
    copied = copies(spooled)
    if copied and converts:
        spooled = Spool(left_alone(task, copied) for task in spooled)
    tasks = list(spooled) if len(spooled) <= _FEW else spooled
    if converts:
        from hipport.source.tree.conversion_facts import QUESTIONS
        from hipport.source.tree.conversion_facts import conversion_facts as facts
    else:
        from hipport.source.tree.audit_facts import QUESTIONS
        from hipport.source.tree.audit_facts import audit_facts as facts
    rules = load()
    headers, sources, new_names = _surveyed(tasks)
    texts = TreeTexts(rules, (included, speaks_of_amd, *QUESTIONS))
    warps = tree_warps(sources, texts, rules)
    is_ported = _in_ported_project(tasks)
    facts_of = facts(SurveyedTrees(tasks, sources, headers, texts, rules, is_ported))
    undefined = undefined_macros(sources, tasks, texts, rules)
    marking, nothing = marking_functions(tasks, texts, rules), frozenset[str]()
    del texts
    for task in tasks:
        if task.is_link:
            task = _with_link(task, new_names)
        yield facts_of(
            task._replace(
                is_ported=task.is_build_file and is_ported(task),
                marking=marking.get(task.root_path, nothing) if is_cmake(task) else nothing,
                copied=copy_around(task, copied),
                headers=headers[task.root_path],
                warps=warps(task.root_path, task.source_path),
                undefined=undefined.get(task.source_path, ()),
            )
        )


def _in_ported_project(tasks: Iterable[Task]) -> Callable[[Task], bool]:
    """A function that tells whether a build file is of a project that supports AMD already."""
    if not any(task.is_build_file for task in tasks):
        return lambda _: False
    from hipport.source.tree.ported_projects import is_below, ported_folders

    ported = ported_folders(tasks)
    return lambda task: is_below(task.source_path, ported[task.language])


def _surveyed(
    tasks: Iterable[Task],
) -> tuple[dict[str, frozenset[str]], dict[str, list[str]], dict[str, str]]:
    """Of each tree the headers of CUDA's names and the C and C++ sources; and the new names."""
    rules = load()
    unknown = re.compile(rules.runtime_header.unknown_headers)
    headers: dict[str, set[str]] = {}
    sources: dict[str, list[str]] = {}
    new_names: dict[str, str] = {}
    for task in tasks:
        folders = task.below.split("/")[-_DEEPEST:]
        names = ("/".join(folders[index:]) for index in range(len(folders)))
        headers.setdefault(task.root_path, set()).update(
            name for name in names if name in rules.headers or unknown.match(name)
        )
        if task.is_link:
            continue
        if task.language in _C_LIKE and not task.is_build_file:
            sources.setdefault(task.root_path, []).append(task.source_path)
        new = task.output_path.rpartition("/")[2]
        if new and new != task.source_path.rpartition("/")[2]:
            new_names[os.path.realpath(task.source_path)] = new
    return {root: frozenset(every) for root, every in headers.items()}, sources, new_names


def _with_link(task: Task, new_names: Mapping[str, str]) -> Task:
    """The task of a symbolic link with the target of the new link, if one may be written."""
    says = os.readlink(task.source_path)  # noqa: PTH115  (a Path would lose a trailing slash)
    real = os.path.realpath(task.source_path)
    if not _stays_inside(task, says, real):
        return task
    new = str(Path(says).with_name(new_names[real])) if real in new_names else says
    stays = task.in_place and task.output_path == task.source_path and new == says
    return task if stays else task._replace(link=new)


def _stays_inside(task: Task, says: str, real: str) -> bool:
    """Whether a link is relative, and neither its text nor its target leaves the tree."""
    depth = task.below.count("/")
    for part in Path(says).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return False
    root = os.path.realpath(task.root)
    return not Path(says).is_absolute() and Path(real).is_relative_to(root)
