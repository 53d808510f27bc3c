"""Writes the header that lets unchanged CUDA sources compile as HIP."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from hipport.errors import HipportError, UsageError
from hipport.files import read, write
from hipport.model import Finding
from hipport.rulebook.load import load
from hipport.runs.rocm import parse_rocm
from hipport.runs.settings import Settings
from hipport.runs.watch import Faults
from hipport.source.compat.header_text import header, stand_ins
from hipport.source.compat.used_names import Survey, survey
from hipport.source.names.counterparts import Decisions
from hipport.source.options import Options
from hipport.source.tree.file_task import LARGEST_SOURCE, Task
from hipport.source.tree.run_tasks import is_in_tree
from hipport.source.tree.source_lines import SourceFiles
from hipport.source.tree.task_list import Wishes, plan

_CODE = frozenset(("cuda", "cpp", "c"))


def write_compat(
    paths: Iterable[str],
    output: Path,
    settings: Settings,
    faults: Faults,
    *,
    exclude: tuple[str, ...] = (),
    with_stand_ins: bool = False,
) -> list[Finding]:
    """Write the header, and stand-ins for CUDA's if they are asked for; what is left to a person.

    Raises UsageError where projects want different things.
    """
    wishes = Wishes(writes=False, exclude=exclude, is_excluded=settings.is_excluded)
    every = plan(paths, wishes, faults.add)
    tasks = [each for each in every if each.language in _CODE and not each.is_link]
    options = _options(settings, tasks)
    decisions = Decisions(load(extend=options.extend_rules), options)
    found = Survey()
    for task in tasks:
        try:
            found.add(_survey(task, decisions))
        except HipportError as error:
            faults.add(error)
    found.findings = list(settings.judged(found.findings, SourceFiles(tasks).of))
    _write(output, header(found, decisions, output.name, has_stand_ins=with_stand_ins))
    if with_stand_ins:
        for name, text in stand_ins(found, decisions, output.name).items():
            _write(output.with_suffix("") / name, text)
    return found.findings


def _options(settings: Settings, tasks: list[Task]) -> Options:
    """What the header is made with; raises UsageError where projects want different things."""
    wanted = {settings.options(each.source)._replace(targets=()) for each in tasks}
    if len(wanted) > 1:
        raise UsageError(
            "the sources have different configurations, and one header serves all",
            remedy="choose one with --config, or --isolated",
        )
    return next(iter(wanted), Options(rocm=parse_rocm(""), helpers=False))


def _survey(task: Task, decisions: Decisions) -> Survey:
    data = read(task.source, LARGEST_SOURCE)
    return survey(data, task.name, task.language, decisions, lambda name: is_in_tree(task, name))


def _write(path: Path, text: str) -> None:
    """Write a file, unless it says that already: what includes it need not be built again."""
    data = os.fsencode(text)
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    write(path, data)
